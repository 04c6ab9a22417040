package measure

// queueHeap has the queue with the earliest arrival on top; for equal arrivals the lower
// partition, so that a file and a broker agree. container/heap would call through an interface
// several times per record.
type queueHeap []*queue

func (a *queue) before(b *queue) bool { return a.head < b.head || a.head == b.head && a.id < b.id }

func (h *queueHeap) push(q *queue) {
	s := append(*h, q)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !q.before(s[up]) {
			break
		}
		s[i], i = s[up], up
	}
	s[i] = q
	*h = s
}

// pop removes the top.
func (h *queueHeap) pop() {
	s := *h
	last := len(s) - 1
	s[0], s[last] = s[last], nil
	*h = s[:last]
	h.down()
}

// down moves the top to its place after its head changed.
func (h *queueHeap) down() {
	s := *h
	if len(s) < 2 {
		return
	}
	q, i := s[0], 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if right := child + 1; right < len(s) && s[right].before(s[child]) {
			child = right
		}
		if !s[child].before(q) {
			break
		}
		s[i], i = s[child], child
	}
	s[i] = q
}
