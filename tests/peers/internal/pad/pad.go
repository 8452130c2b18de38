// Package pad makes text to fill messages with.
package pad

// Key is the annotation that makes a message as large as wanted.
const Key = "peer/pad"

// Text is without short periods, so that a shifted, lost or repeated piece of
// it shows.
func Text(bytes int) string {
	text := make([]byte, bytes)
	x := uint32(1)
	for i := range text {
		x = x*1664525 + 1013904223
		text[i] = 'a' + byte(x>>24)%26
	}
	return string(text)
}

// Intact tells whether text is the Text of its length.
func Intact(text string) bool { return text == Text(len(text)) }
