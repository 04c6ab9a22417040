//go:build slow

package cases

const slow = true
