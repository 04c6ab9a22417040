package units

import "fmt"

func ExampleClock() {
	const at = 1_796_011_312_345
	fmt.Println(Clock(at), ClockMillis(at), MonthClock(at), DayClock(at))
	fmt.Println(ClockSeenFrom(at, at+3_600_000))
	fmt.Println(ClockSeenFrom(at, at+86_400_000))
	// Output:
	// 04:01:52 04:01:52.345 11-30 04:01 2026-11-30 04:01:52
	// 04:01:52
	// 2026-11-30 04:01:52
}
