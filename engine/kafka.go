package engine

// KafkaOwner is the source subtask to which a partition of a topic is assigned
// (KafkaSourceEnumerator.getSplitOwner, flink-connector-kafka 1.x to 5.x): the topic's hash
// selects the first subtask, and the partitions follow round-robin.
func KafkaOwner(topic string, partition int32, subtasks int) int {
	start := (JavaHash(topic) * 31 & 0x7FFFFFFF) % int32(subtasks)
	return int((start + partition) % int32(subtasks))
}

// JavaHash is String.hashCode, over UTF-16 code units.
func JavaHash(s string) int32 {
	var h int32
	for _, r := range s {
		if r < 0x10000 {
			h = 31*h + int32(r)
			continue
		}
		r -= 0x10000
		h = 31*h + int32(0xD800+r>>10)
		h = 31*h + int32(0xDC00+r&0x3FF)
	}
	return h
}
