package templates

import (
	"cmp"
	"net/http"
)

// withoutStates is an error page's frame.
func (p ErrorPage) withoutStates() Frame {
	f := p.Frame
	f.stateless = true
	return f
}

// errorLook is how a page says that something went wrong: the icon, the key of its title, and of what happened
// and what to do if the fault does not say.
type errorLook struct{ icon, title, text string }

var errorLooks = map[int]errorLook{
	http.StatusUnauthorized:        {"lock-keyhole", "error.401", "error.401.more"},
	http.StatusForbidden:           {"lock-keyhole", "error.403", "error.403.more"},
	http.StatusNotFound:            {"search", "error.404", "error.404.more"},
	http.StatusConflict:            {"layers", "error.409", "error.409.more"},
	http.StatusUnprocessableEntity: {"triangle-alert", "error.422", "error.422.more"},
	http.StatusTooManyRequests:     {"clock", "error.429", "error.429.more"},
	http.StatusServiceUnavailable:  {"unplug", "error.503", "error.503.more"},
}

func lookOfError(status int) errorLook {
	return cmp.Or(errorLooks[status], errorLook{"triangle-alert", "error.500", "error.500.more"})
}

func errorTone(status int) string {
	if status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable {
		return "bad"
	}
	return "wait"
}

// lead tells the customer what a state means for them.
func (p StatusPage) lead() string {
	switch p.State {
	case "complete":
		return p.Text("status.complete")
	case "failed", "voided", "cancelled":
		if p.Returned {
			return p.Text("status.returned")
		}
		return p.Text("status.failed")
	}
	if p.Returned {
		return p.Text("status.openReturned")
	}
	return p.Text("status.open")
}
