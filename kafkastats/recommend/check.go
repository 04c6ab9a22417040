package recommend

import (
	"time"

	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/weekhours"
	"tidemark/request"
)

// The modes of a request, as messages name them.
const (
	modeTopic   = "a topic is measured"
	modeLive    = "the live tail is measured"
	modeFlink   = "a Flink job measures"
	modeRecords = "a file of records is measured"
	modeProfile = "a profile is judged"
)

// uses says which modes can use each setting.
var uses = []request.Use{
	{Settings: []string{"brokers", "kafka-config", "read-committed"}, By: []string{modeTopic, modeLive, modeFlink}, Why: "no broker is contacted"},
	{Settings: []string{"rack", "max-bytes-per-second"}, By: []string{modeTopic, modeLive}, Why: "nothing is fetched from a broker here"},
	{Settings: []string{"last", "since", "until"}, By: []string{modeTopic, modeFlink, modeRecords}, Why: "only a topic or a file can be cut"},
	{Settings: []string{"segments"}, By: []string{modeTopic}, Why: "only a topic can be read in segments"},
	{Settings: []string{"for"}, By: []string{modeLive}, Why: "only a topic has a live tail"},
	{Settings: []string{"records-format"}, By: []string{modeRecords}, Why: "it is the format of --records"},
	{Settings: []string{"format", "schema-registry", "schema-registry-ca", "schema-registry-cert", "schema-registry-key", "payload-schema", "message", "separator", "max-errors", "exact", "by", "idle-timeout"},
		By: []string{modeTopic, modeLive, modeRecords}, Why: "no record is decoded here"},
	{Settings: []string{"field", "unit", "future-tolerance"}, By: []string{modeTopic, modeLive, modeRecords, modeFlink}, Why: "no record is read"},
	{Settings: []string{"hours"}, By: []string{modeTopic, modeLive, modeRecords, modeProfile}, Why: "its counts have no hours"},
	{Settings: []string{"on", "sql-gateway", "dry-run", "flink-columns", "flink-event", "flink-format"}, By: []string{modeFlink}, Why: "it is for a topic with --on flink"},
	{Settings: []string{"within"}, By: []string{modeTopic, modeLive, modeRecords, modeFlink}, Why: "there is nothing to wait for"},
}

func (r *Request) mode() (string, error) {
	var modes []string
	if r.Records.Path != "" {
		modes = append(modes, modeRecords)
	}
	if len(r.Profiles) > 0 {
		modes = append(modes, modeProfile)
	}
	switch {
	case len(modes) > 1 || len(modes) == 0 && r.Topic == "":
		return "", request.Badf("give a topic, or --records FILE, or --profile FILE")
	case len(modes) == 1 && modes[0] == modeProfile && r.Topic != "":
		return "", request.Wrong("profile", "names its own topic: leave %q out", r.Topic)
	case len(modes) == 1:
		return modes[0], nil
	case r.Flink.On != "":
		return modeFlink, nil
	case r.Part.Live > 0:
		return modeLive, nil
	}
	return modeTopic, nil
}

// Check refuses an impossible request before anything is read. The error is a request.Mistake.
func (r *Request) Check() error {
	if err := request.CheckWords(r); err != nil {
		return err
	}
	mode, err := r.mode()
	if err != nil {
		return err
	}
	if err := r.Given.CheckUse(mode, uses); err != nil {
		return err
	}
	for _, s := range request.Settings(r) {
		if d, ok := s.Value.Interface().(time.Duration); ok && d < 0 {
			return request.Wrong(s.Name, "is negative")
		}
	}
	if r.Kafka.BytesPerSec < 0 {
		return request.Wrong("max-bytes-per-second", "is %d; it takes a number above zero", r.Kafka.BytesPerSec)
	}
	if err := r.checkZone(mode); err != nil {
		return err
	}
	if mode == modeFlink {
		if err := r.checkFlink(); err != nil {
			return err
		}
	} else if _, err := r.EventTime.Options(); err != nil {
		return err
	}
	if err := r.EventTime.Unused(r.Given, r.EventTime.FormatGiven()); err != nil {
		return err
	}
	if _, err := r.Part.sample(time.Time{}); err != nil {
		return err
	}
	if err := r.Part.CheckFile(r.Records); err != nil {
		return err
	}
	_, err = r.target()
	return err
}

// checkZone: the zone is that of a text, or of the hours.
func (r *Request) checkZone(mode string) error {
	zone, err := r.EventTime.Location()
	if err != nil {
		return err
	}
	if r.Part.Hours == "" {
		if mode == modeFlink || mode == modeProfile {
			return r.Given.Unused("no text is read as a time here ("+mode+")", "zone")
		}
		return nil
	}
	if _, err := weekhours.Parse(r.Part.Hours, orUTC(zone)); err != nil {
		return request.Wrong("hours", "cannot be read: %w", err)
	}
	return nil
}

// target is the requested share; its flags exclude each other.
func (r *Request) target() (advise.Target, error) {
	d, name, text := r.Demand, "target-late", r.Demand.Late
	if d.Dropped != "" {
		name, text = "target-dropped", d.Dropped
		switch {
		case d.Window == 0:
			return advise.Target{}, request.Wrong(name, "needs --window")
		case r.Given["target-late"]:
			return advise.Target{}, request.Wrong(name, "excludes --target-late: keep one")
		}
	}
	if d.Window == 0 && d.Lateness > 0 {
		return advise.Target{}, request.Wrong("allowed-lateness", "needs --window")
	}
	t, err := advise.ParseTarget(text)
	if err != nil {
		return t, request.Wrong(name, "is %q: %w", text, err)
	}
	return t, nil
}

func orUTC(zone *time.Location) *time.Location {
	if zone == nil {
		return time.UTC
	}
	return zone
}
