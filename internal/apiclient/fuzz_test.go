package apiclient_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// FuzzEnvelope: whatever arrives, reading it as a transfer and as a list never
// panics, and what is taken for an answer is one by the standard decoder too.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		completeAnswer, empty, `{"ResultCode":1`, `{"Items":{},"ResultCode":1}`, `{"ResultCode":1,"Items":[null,7,{}]}`, "<html>",
		`{"ResultCode":4,"ErrorCodes":[{"Code":"ParameterInvalid","Context":null}]}`, `{"ResultCode":1}{"ResultCode":1}`, `{"ResultCode":1e0}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var standard struct {
			ResultCode     int
			TransferRecord *apiclient.TransferRecord
		}
		valid := json.Valid([]byte(body))
		_ = json.Unmarshal([]byte(body), &standard) // a field of another type is as good as absent

		var transfer apiclient.SendTransferResponse
		if err := apiclient.Decode(body, &transfer); err == nil && transfer.ResultCode > 0 {
			require.True(t, valid)
			require.Equal(t, standard.ResultCode, transfer.ResultCode)
			require.Equal(t, standard.TransferRecord, transfer.TransferRecord)
		}
		var list apiclient.ListTransferRecordsResponse
		if err := apiclient.Decode(body, &list); err == nil {
			require.True(t, valid)
			require.Equal(t, standard.ResultCode, list.ResultCode)
		}
	})
}

// FuzzWebhookHeaders: headers that were not made by the service never open a
// webhook, and never cause anything but a WebhookError.
func FuzzWebhookHeaders(f *testing.F) {
	f.Add("t=1772366400,v1=AAAA", "1772366400", "rs256", "k1", "", "", "")
	f.Add("t=1772366400,v1=AAAA", "1772366400", "rs256", "k1", "hybrid", "AAAA", "AAAAAAAAAAAAAAAA")
	f.Add("t=1,v1", "1", "RS256", "", "hybrid", "", "")
	server := httptest.NewServer(says(200, `{"keys":[]}`))
	f.Cleanup(server.Close)
	keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: server.URL, Now: newClock().now})
	require.NoError(f, err)
	apiclient.SetKey(keys, "k1", &signingKey().PublicKey)
	hook, err := apiclient.NewWebhook(apiclient.WebhookDeps{Keys: keys})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, signature, timestamp, algorithm, keyID, encryption, key, iv string) {
		h := http.Header{}
		for name, value := range map[string]string{
			"Signature": signature, "Timestamp": timestamp, "Algorithm": algorithm, "Key-Id": keyID,
			"Encryption": encryption, "Encrypted-Key": key, "Iv": iv, "Data-Algorithm": "AES-256-GCM", "Key-Algorithm": "RSA-OAEP-SHA256",
		} {
			if value != "" {
				h.Set(prefix+name, value)
			}
		}
		got, err := hook.Open(t.Context(), h, []byte(completeAnswer), newClock().now())
		require.Nil(t, got)
		var refused *apiclient.WebhookError
		require.ErrorAs(t, err, &refused)
		require.Contains(t, []int{400, 401, 408, 503}, refused.Status)
	})
}
