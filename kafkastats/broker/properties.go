// Package broker connects to Kafka with the configuration of the Java tools: a client.properties
// file. Secrets never appear in an error.
package broker

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Properties are the settings of a client.properties file.
type Properties map[string]string

// ReadProperties reads a file in Java's properties format: key=value, key:value or key value, with
// comments, continued lines and \uXXXX.
func ReadProperties(path string) (Properties, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read client properties: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing is written
	p, err := ParseProperties(f)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return p, nil
}

// ParseProperties reads the properties format; an error starts with its line number.
func ParseProperties(r io.Reader) (Properties, error) {
	p := Properties{}
	text, err := io.ReadAll(io.LimitReader(r, 16<<20))
	if err != nil {
		return nil, fmt.Errorf("1: %w", err)
	}
	scan := bufio.NewScanner(strings.NewReader(decoded(text)))
	scan.Buffer(nil, 16<<20)
	line, start, n := "", 0, 0
	flush := func() error {
		if line == "" {
			return nil
		}
		key, value, err := splitProperty(line)
		if err != nil {
			return fmt.Errorf("%d: %w", start, err)
		}
		p[key], line = value, ""
		return nil
	}
	for scan.Scan() {
		n++
		text := strings.TrimLeft(scan.Text(), " \t\f")
		if line == "" {
			if text == "" || text[0] == '#' || text[0] == '!' {
				continue
			}
			start = n
		}
		line += text
		if trailing := len(line) - len(strings.TrimRight(line, `\`)); trailing%2 == 1 {
			line = line[:len(line)-1]
			continue
		}
		if err := flush(); err != nil {
			return nil, err
		}
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("%d: %w", n+1, err)
	}
	return p, flush()
}

// decoded decodes a file that Java reads as ISO 8859-1. UTF-8 is accepted as well: Java would
// only garble it. Each of \r, \n and \r\n ends a line.
func decoded(b []byte) string {
	text := string(b)
	if !utf8.Valid(b) {
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		text = string(runes)
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

func splitProperty(line string) (key, value string, err error) {
	end := len(line)
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
			continue
		}
		if strings.IndexByte("=: \t\f", line[i]) >= 0 {
			end = i
			break
		}
	}
	rest := strings.TrimLeft(line[end:], " \t\f")
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], " \t\f")
	}
	if key, err = unescape(line[:end]); err != nil {
		return "", "", err
	}
	value, err = unescape(rest)
	return key, strings.TrimSpace(value), err
}

func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			if i+5 > len(s) {
				return "", fmt.Errorf("a \\u escape needs four digits")
			}
			code, err := strconv.ParseUint(s[i+1:i+5], 16, 16)
			if err != nil {
				return "", fmt.Errorf("a \\u escape needs four digits")
			}
			i += 4
			r := rune(code)
			if utf16.IsSurrogate(r) && i+6 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
				// A character beyond the first plane is written as two escapes.
				if low, err := strconv.ParseUint(s[i+3:i+7], 16, 16); err == nil && utf16.DecodeRune(r, rune(low)) != utf8.RuneError {
					r = utf16.DecodeRune(r, rune(low))
					i += 6
				}
			}
			b.WriteRune(r)
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), nil
}

// jaas reads the options of a login module: module required name="value" …;
func jaas(config string) (module string, options map[string]string, err error) {
	fail := func() (string, map[string]string, error) {
		return "", nil, fmt.Errorf("sasl.jaas.config is not of the form: module required name=\"value\" …;")
	}
	rest := strings.TrimSpace(config)
	if !strings.HasSuffix(rest, ";") {
		return fail()
	}
	rest = strings.TrimSuffix(rest, ";")
	module, rest, _ = strings.Cut(rest, " ")
	_, rest, _ = strings.Cut(strings.TrimSpace(rest), " ") // required, optional, …
	options = map[string]string{}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		name, after, ok := strings.Cut(rest, "=")
		if !ok {
			return fail()
		}
		after = strings.TrimSpace(after)
		if after == "" || after[0] != '"' && after[0] != '\'' {
			value, remaining, _ := strings.Cut(after, " ")
			options[strings.TrimSpace(name)], rest = value, remaining
			continue
		}
		quote, value, i := after[0], []byte{}, 1
		for ; i < len(after) && after[i] != quote; i++ {
			if after[i] == '\\' && i+1 < len(after) {
				i++
			}
			value = append(value, after[i])
		}
		if i == len(after) {
			return fail()
		}
		options[strings.TrimSpace(name)], rest = string(value), after[i+1:]
	}
	return module, options, nil
}
