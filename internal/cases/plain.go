//go:build !slow

package cases

const slow = false
