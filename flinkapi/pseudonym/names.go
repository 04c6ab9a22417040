// Package pseudonym replaces the names in a recording, so that it can be sent to strangers: words
// that are not Flink's become other words of the same length, consistently.
package pseudonym

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordsText string

// own are the words that stay: those of Flink's operators, plans, metrics and messages, and of
// SQL.
var own = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(wordsText) {
		m[w] = true
	}
	return m
}()

// Names replaces words by other words, given a seed. Words with a common prefix keep one, because
// Flink cuts long names in metric ids. It is safe for concurrent use.
type Names struct {
	seed []byte
	mu   sync.Mutex
	used map[string]string // every word that was replaced
}

// New returns Names with a random seed.
func New() *Names {
	seed := make([]byte, 16)
	_, _ = rand.Read(seed) // it never fails
	return &Names{seed: seed, used: map[string]string{}}
}

var (
	// javaName is a class of Flink, Kafka or the platform.
	javaName = `\b(?:org\.apache\.(?:flink|kafka|avro|pekko)|javax?|jdk|sun|scala|akka|io\.netty|com\.fasterxml)(?:\.[\w$]+)+`
	ip       = `\b(?:ip-\d{1,3}(?:-\d{1,3}){3}|\d{1,3}(?:\.\d{1,3}){3})\b`
	parts    = regexp.MustCompile(javaName + `|` + ip + `|[\pL\pN]+`)
	octet    = regexp.MustCompile(`\d+`)
	// size is a number with a unit, or an ISO 8601 duration; id is one that Flink generates.
	size = regexp.MustCompile(`^[0-9]+(?:ms|s|m|min|h|d|[kKmMgGtT]?[bB]|[kKgG])?$|^PT?(?:[0-9]+[DHMS])+$`)
	id   = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// Text is s with names replaced.
func (n *Names) Text(s string) string {
	return parts.ReplaceAllStringFunc(s, func(part string) string {
		switch {
		case strings.ContainsRune(part, '.') && part[0] > '9':
			return part
		case strings.ContainsAny(part, ".-"):
			return n.address(part)
		}
		return n.word(part)
	})
}

// word replaces a word that is not Flink's. A single letter is not a name.
func (n *Names) word(w string) string {
	if len(w) == 1 || own[w] || size.MatchString(w) || id.MatchString(w) {
		return w
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if to, ok := n.used[w]; ok {
		return to
	}
	to := n.shift(w)
	for own[to] || size.MatchString(to) { // it would be mistaken for Flink's
		to = n.shift(to)
	}
	n.used[w] = to
	return to
}

// shift replaces each character within its alphabet, depending on the seed and the characters
// before it: two words never become one.
func (n *Names) shift(w string) string {
	var out strings.Builder
	for i, r := range w {
		by := n.number(w[:i])
		turn := func(first rune, size uint64) { out.WriteRune(first + rune((uint64(r-first)+by)%size)) }
		switch {
		case r >= 'a' && r <= 'z':
			turn('a', 26)
		case r >= 'A' && r <= 'Z':
			turn('A', 26)
		case r >= '0' && r <= '9':
			turn('0', 10)
		default: // any other letter becomes four
			by = n.number(w[:i+utf8.RuneLen(r)])
			for range 4 {
				letter := 'a' + rune(by%26)
				if unicode.IsUpper(r) {
					letter = unicode.ToUpper(letter)
				}
				out.WriteRune(letter)
				by /= 26
			}
		}
	}
	return out.String()
}

// address is another IPv4 address; loopback addresses stay.
func (n *Names) address(a string) string {
	if a == "127.0.0.1" || a == "0.0.0.0" {
		return a
	}
	to := octet.ReplaceAllStringFunc(a, func(o string) string {
		return fmt.Sprint(1 + n.number(a+o)%254)
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.used[a] = to
	return to
}

func (n *Names) number(of string) uint64 {
	h := hmac.New(sha256.New, n.seed)
	h.Write([]byte(of))
	return binary.BigEndian.Uint64(h.Sum(nil))
}
