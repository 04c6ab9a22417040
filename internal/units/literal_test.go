package units

import "fmt"

func ExampleInterval() {
	for _, ms := range []int64{1, 1500, 8200, 99_000, 310_000, 300_000, 123_456, 7_200_000, 6_000_000, 1_100_000, 5_900_001, 110_000_000, 31_535_995_000} {
		fmt.Println(Interval(ms))
	}
	// Output:
	// INTERVAL '0.001' SECOND
	// INTERVAL '1.500' SECOND
	// INTERVAL '8.200' SECOND
	// INTERVAL '99' SECOND
	// INTERVAL '310' SECOND(3)
	// INTERVAL '5' MINUTE
	// INTERVAL '123.456' SECOND(3)
	// INTERVAL '2' HOUR
	// INTERVAL '0 01:40:00' DAY TO SECOND
	// INTERVAL '0 00:18:20' DAY TO SECOND
	// INTERVAL '0 01:38:20.001' DAY TO SECOND
	// INTERVAL '1 06:33:20' DAY TO SECOND
	// INTERVAL '364 23:59:55' DAY(3) TO SECOND
}

func ExampleJava() {
	for _, ms := range []int64{0, 200, 1000, 8200, 90_000, 300_000, 3_600_000_000} {
		fmt.Println(Java(ms), Option(ms))
	}
	// Output:
	// Duration.ofMillis(0) 0 ms
	// Duration.ofMillis(200) 200 ms
	// Duration.ofSeconds(1) 1 s
	// Duration.ofMillis(8200) 8200 ms
	// Duration.ofSeconds(90) 90 s
	// Duration.ofMinutes(5) 5 min
	// Duration.ofMillis(3600000000L) 60000 min
}

func ExampleShell() {
	for _, word := range []string{"orders", "payload.ts", "a=1,b", "it's", "$(rm x)", ""} {
		fmt.Println(Shell(word))
	}
	// Output:
	// orders
	// payload.ts
	// a=1,b
	// 'it'\''s'
	// '$(rm x)'
	// ''
}
