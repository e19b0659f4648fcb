// Package sandbox simulates the transfer service: its whole interface with a
// ledger, a catalogue, an identity server and webhooks of its own.
//
// It is the other side of the wire. It shares no code with the client, so that
// a mistake on one side shows on the other. All state lives in memory behind
// one mutex; with a data directory every change is first a line of a journal,
// which is replayed at the next start. An executed transfer is in the journal
// before its reply is written.
//
// The console under /_sandbox/ sets it up and watches it; its JSON is
// documented at the types Config, Ledger, Calls and Fault. Amounts of the
// console are decimal text, durations are texts such as "1m30s". Faults are not
// kept across a restart.
package sandbox
