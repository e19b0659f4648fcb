package templates

import (
	"net/http"

	"airtill/web/locale"
)

// withoutStates is the frame of an error page.
func (p ErrorPage) withoutStates() Frame {
	f := p.Frame
	f.stateless = true
	return f
}

// errorTitle returns what a status is called at the counter.
func errorTitle(l locale.Locale, status int) string {
	switch status {
	case http.StatusUnauthorized:
		return l.Text("error.401")
	case http.StatusForbidden:
		return l.Text("error.403")
	case http.StatusNotFound:
		return l.Text("error.404")
	case http.StatusConflict:
		return l.Text("error.409")
	case http.StatusUnprocessableEntity:
		return l.Text("error.422")
	case http.StatusTooManyRequests:
		return l.Text("error.429")
	case http.StatusServiceUnavailable:
		return l.Text("error.503")
	}
	return l.Text("error.500")
}

// errorText returns what happened and what to do, where the fault itself says
// nothing.
func errorText(l locale.Locale, status int) string {
	switch status {
	case http.StatusUnauthorized:
		return l.Text("error.401.more")
	case http.StatusForbidden:
		return l.Text("error.403.more")
	case http.StatusNotFound:
		return l.Text("error.404.more")
	case http.StatusConflict:
		return l.Text("error.409.more")
	case http.StatusUnprocessableEntity:
		return l.Text("error.422.more")
	case http.StatusTooManyRequests:
		return l.Text("error.429.more")
	case http.StatusServiceUnavailable:
		return l.Text("error.503.more")
	}
	return l.Text("error.500.more")
}

func errorIcon(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "lock-keyhole"
	case http.StatusNotFound:
		return "search"
	case http.StatusConflict:
		return "layers"
	case http.StatusTooManyRequests:
		return "clock"
	case http.StatusServiceUnavailable:
		return "unplug"
	}
	return "triangle-alert"
}

func errorTone(status int) string {
	if status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable {
		return "bad"
	}
	return "wait"
}

// customerText tells the customer what a state means for them.
func customerText(l locale.Locale, state string) string {
	switch state {
	case "complete":
		return l.Text("status.complete")
	case "failed", "voided", "cancelled":
		return l.Text("status.failed")
	}
	return l.Text("status.open")
}
