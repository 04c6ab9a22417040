package units

import "testing"

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"0 B": 0, "512b": 512, "1 KB": 1024, "1.5 MB": 1572864, "2GiB": 2147483648, "1 TB": 1 << 40} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: %d %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "500", "GB", "-1 MB", "1 PB", "1,5 MB", "1e3 MB", "5 m"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1,023 B", 1024: "1 KB", 1572864: "1.5 MB", 1<<30 - 1: "1 GB", 5 << 40: "5 TB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%d: %q, want %q", bytes, got, want)
		}
	}
}
