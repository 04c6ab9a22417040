package record

import "testing"

func TestAFileIsCSVByItsName(t *testing.T) {
	for path, columns := range map[string]bool{"a.csv": true, "A.CSV.gz": true, "a.jsonl": false, "-": false} {
		if got := (File{Path: path}).Columns(); got != columns {
			t.Errorf("%s: columns %v", path, got)
		}
		if !(File{Path: path, Format: "csv"}).Columns() || (File{Path: path, Format: "kcat"}).Columns() {
			t.Errorf("%s: the name counts though the format was said", path)
		}
	}
}
