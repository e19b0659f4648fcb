package locale

import "github.com/riverqueue/river/rivertype"

// Word is what a word of programs is called: the message of its group, such as "role.", or
// otherwise where there is none.
func (l Locale) Word(group, word, otherwise string) string {
	if text, known := l.message(group + word); known {
		return text
	}
	return otherwise
}

// Job is what a job of a kind is called; one that is no more by its kind.
func (l Locale) Job(kind string) string { return l.Word("jobs.name.", kind, kind) }

// JobState is what River's state of a job is called.
func (l Locale) JobState(state rivertype.JobState) string {
	return l.Text("jobs.state." + string(state))
}
