package flinkapi

import (
	"net/url"
	"strings"
)

// maxRequestLine limits "GET path HTTP/1.1". Flink's netty decoder answers 404 above 4,096 bytes
// (seen on 2.3.0); the rest is room for a path prefix that a proxy adds.
const maxRequestLine = 3900

// batches splits metric ids into as few GET paths as fit the request line: prefix + ids + suffix.
// Ids that do not fit any request are returned in tooLong.
func (c *Client) batches(prefix string, ids []string, suffix string) (paths []string, tooLong []string) {
	fixed := len("GET ") + len(c.base) + len("/v1") + len(prefix) + len(suffix) + len(" HTTP/1.1")
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			paths = append(paths, prefix+b.String()+suffix)
			b.Reset()
		}
	}
	for _, id := range ids {
		e := url.QueryEscape(id)
		if fixed+len(e) > maxRequestLine {
			tooLong = append(tooLong, id)
			continue
		}
		if b.Len() > 0 && fixed+b.Len()+1+len(e) > maxRequestLine {
			flush()
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(e)
	}
	flush()
	return paths, tooLong
}
