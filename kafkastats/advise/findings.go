package advise

import (
	"encoding/json"

	"tidemark/analyze/catalog"
)

// Findings are those about the records of a topic. In JSON, each fix is one text, because there
// is no job whose code it could show.
type Findings []catalog.Finding

// Written is the JSON form of one finding.
type Written struct {
	catalog.Finding
	Fix string `json:"fix,omitempty"`
}

// MarshalJSON writes an empty list as [], never as null.
func (fs Findings) MarshalJSON() ([]byte, error) {
	out := make([]Written, len(fs))
	for i, f := range fs {
		out[i] = Written{f, f.Fix.Text}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (fs *Findings) UnmarshalJSON(data []byte) error {
	var in []Written
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*fs = make(Findings, len(in))
	for i, w := range in {
		w.Finding.Fix.Text = w.Fix
		(*fs)[i] = w.Finding
	}
	return nil
}
