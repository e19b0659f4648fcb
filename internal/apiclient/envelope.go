package apiclient

import "encoding/json"

// The ResultCodes (INTERFACE.md, Errors). The set never changes.
const (
	ResultSuccess   = 1
	ResultWarning   = 2 // success, details in ErrorCodes
	ResultTransient = 3
	ResultClient    = 4
	ResultServer    = 5
)

// Envelope is what every answer carries (INTERFACE.md, Response envelope).
type Envelope struct {
	ResultCode int
	ErrorCodes []ErrorCode
}

// Succeeded says whether the ResultCode is 1 or 2.
func (e *Envelope) Succeeded() bool {
	return e.ResultCode == ResultSuccess || e.ResultCode == ResultWarning
}

func (e *Envelope) envelope() *Envelope { return e }

// whole says whether this can be an answer of the service at all.
func (e *Envelope) whole() bool { return e.ResultCode > 0 }

// ErrorCode is one record of ErrorCodes: what happened and, depending on the
// code, a second code or a comma-separated list of parameter names.
type ErrorCode struct {
	Code    string
	Context string `json:",omitempty"`
}

// UnmarshalJSON reads texts that can be stored. It tolerates what the decoder does: from here, an error would end
// the reading of everything that follows.
func (c *ErrorCode) UnmarshalJSON(data []byte) error {
	type wire ErrorCode
	err := json.Unmarshal(data, (*wire)(c))
	c.Code, c.Context = storable(c.Code), storable(c.Context)
	return tolerate(err)
}

// List is an answer whose content is its Items.
type List[T any] struct {
	Envelope
	Items []T
}

// reply is a pointer to an answer's type.
type reply interface {
	envelope() *Envelope
	whole() bool
}

// replyTo is the pointer to Out, which must be an answer.
type replyTo[Out any] interface {
	*Out
	reply
}
