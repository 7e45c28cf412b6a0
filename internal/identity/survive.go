package identity

import "fmt"

// survive asks, and makes a panic a look-up without an answer: in a goroutine of its own
// it would end the process. What panicked is not told, for it might hold a token.
func survive[T any](ask func() (T, error)) (answer T, err error) {
	defer func() {
		if p := recover(); p != nil {
			var none T
			answer, err = none, fmt.Errorf("the look-up panicked with a %T", p)
		}
	}()
	return ask()
}
