package analyze

import "strings"

// markEndedTopics finds, before 2.1, the partitions that a HybridSource left behind: a topic none of
// whose partitions moves, and which does not hold a subtask that reads on beside one of them. Were
// they still owned and active they would hold that subtask; were they idle they would hold nobody.
func (v *Vertex) markEndedTopics() {
	if splitsTellWatermarks(v) {
		return
	}
	quiet := map[string][]*Split{}
	moves, passed := map[string]bool{}, map[string]bool{}
	for _, s := range v.Subtasks {
		for _, sp := range s.Splits {
			topic := topicOf(sp.ID)
			rise, ok := sp.Offset.Rise()
			off, _ := sp.Offset.Value()
			switch {
			case !ok || rise > 0 || off < 0:
				moves[topic] = true
			default:
				quiet[topic] = append(quiet[topic], sp)
				passed[topic] = passed[topic] || movedCertainly(s.Out())
			}
		}
	}
	for topic, splits := range quiet {
		if moves[topic] || !passed[topic] {
			continue
		}
		for _, sp := range splits {
			sp.Leftover = true
		}
	}
}

// topicOf cuts the partition off a Kafka split id.
func topicOf(id string) string {
	if i := strings.LastIndexByte(id, '-'); i > 0 {
		return id[:i]
	}
	return id
}
