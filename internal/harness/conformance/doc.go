// Package conformance has the real client talk to the simulator, over HTTP and
// black box on both sides: it holds nothing but tests.
//
// The two share no code, so what they agree on here is the interface. Whatever
// crosses the wire is held against the simulator's own description of it, more
// strictly than the interface asks: a name that the description does not know
// is a mistake of one of the two, because each would pass over it in silence.
package conformance
