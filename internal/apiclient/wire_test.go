package apiclient_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/money"
)

func TestDecimalReadsWhateverStandsThere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]apiclient.Decimal{
		"10.30": "10.30", `"10.30"`: "10.30", "null": "", `""`: "", "1e999": "1e999", "-0": "-0", "0.00000001": "0.00000001",
		`"1,5"`: "1,5", "true": "true", `{"a":1}`: `{"a":1}`, "[]": "[]",
	} {
		var got struct{ D apiclient.Decimal }
		require.NoError(t, json.Unmarshal([]byte(`{"D":`+text+`}`), &got), text)
		require.Equal(t, want, got.D, text)
	}
}

// A field of another type than documented is empty, and takes nothing with it.
func TestAFieldOfAnotherTypeHidesNoOther(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{
		`"TransferId":{"TransferRef":863785357,"DistributorRef":"R"}`, `"TransferId":["R"]`, `"TransferId":"R"`,
		`"ReceiptText":7`,
	} {
		record := `{"TransferRecord":{` + odd + `,"ProcessingState":"Complete"},"ResultCode":1,"ErrorCodes":[]}`
		sent := new(apiclient.SendTransferResponse)
		require.NoError(t, apiclient.Decode(record, sent), odd)
		require.Equal(t, apiclient.ResultSuccess, sent.ResultCode, odd)
		require.Equal(t, apiclient.StateComplete, sent.TransferRecord.ProcessingState, odd)
		listed := new(apiclient.ListTransferRecordsResponse)
		require.NoError(t, apiclient.Decode(`{"Items":[`+record+`],"ThereAreMoreItems":true,"ResultCode":1}`, listed), odd)
		require.Equal(t, apiclient.StateComplete, listed.Items[0].TransferRecord.ProcessingState, odd)
	}
	var numbered apiclient.TransferId
	require.NoError(t, json.Unmarshal([]byte(`{"TransferRef":863785357,"DistributorRef":"R"}`), &numbered))
	require.Equal(t, apiclient.TransferId{TransferRef: "863785357", DistributorRef: "R"}, numbered)
	for _, odd := range []string{`{"Code":5}`, `"InsufficientBalance"`, `{"Code":"X","Context":["Y"]}`} {
		sent := new(apiclient.SendTransferResponse)
		require.NoError(t, apiclient.Decode(`{"ErrorCodes":[`+odd+`],"ResultCode":5}`, sent), odd)
		require.Equal(t, apiclient.ResultServer, sent.ResultCode, odd)
	}
}

func TestDecimalWritesNumbersOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[apiclient.Decimal]string{"10.30": "10.30", "": "null", "-1E+2": "-1E+2"} {
		got, err := json.Marshal(text)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	for _, bad := range []apiclient.Decimal{"1,5", "+1", "NaN", "007", `"1"`, "null", "true", "1 2", `1,"X":2`, " 1", "1 "} {
		_, err := json.Marshal(bad)
		require.Error(t, err, bad)
	}
	_, err := newClient(t, "http://127.0.0.1:1").EstimatePrices(t.Context(), []apiclient.EstimationRequest{{SendValue: "1,5"}})
	require.ErrorIs(t, err, apiclient.ErrNotSent, "an amount that is no number never leaves")
}

func TestDecimalIsExact(t *testing.T) {
	t.Parallel()
	amount, err := apiclient.Decimal("10.30").Amount("EUR")
	require.NoError(t, err)
	require.Equal(t, money.MustParse("10.30", "EUR"), amount)
	require.Equal(t, apiclient.Decimal("10.30"), apiclient.DecimalOf(amount))
	require.Equal(t, apiclient.Decimal("0.125"), apiclient.DecimalOf(money.MustParse("0.125", "KWD")))
	for text, want := range map[apiclient.Decimal]error{"": money.ErrSyntax, "x": money.ErrSyntax, "1e-7": money.ErrTooFine, "1e21": money.ErrOverflow} {
		_, err := text.Amount("EUR")
		require.ErrorIs(t, err, want)
	}
	rate, err := apiclient.Decimal("0.07").Rate()
	require.NoError(t, err)
	require.Equal(t, "0.07", rate.String())
	_, err = apiclient.Decimal("").Rate()
	require.ErrorIs(t, err, money.ErrSyntax)
}

func TestTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[apiclient.Time]time.Time{
		"2026-03-01T12:00:00Z": at, "2026-03-01T12:00:00": at, "2026-03-01T14:00:00+02:00": at, "2026-03-01T14:00:00+0200": at,
		"2026-03-01 12:00:00": at, " 2026-03-01t12:00:00z ": at, "2026-03-01T12:00": at, "2026-03-01": at.Add(-12 * time.Hour),
		"2026-03-01T12:00:00.1234567Z":    at.Add(123456700),
		"2026-03-01T12:00:00.12345678901": at.Add(123456789),
		"9999-12-31T23:59:59.9999999":     time.Date(9999, 12, 31, 23, 59, 59, 999999900, time.UTC),
		"9999-12-31T23:59:59-05:00":       time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
		"0001-01-01T00:00:00":             {}, "0001-01-01T00:00:00+05:00": {},
	} {
		got, err := text.Time()
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, bad := range []apiclient.Time{"", "now", "2026-13-01T12:00:00Z", "2026-02-30", "12:00", "2026-03-01T25:00:00Z", "/Date(1)/"} {
		_, err := bad.Time()
		require.Error(t, err, bad)
	}
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]apiclient.Period{
		"P30D": {Days: 30}, "P1Y6M": {Years: 1, Months: 6}, "P2W": {Days: 14}, "PT36H": {Time: 36 * time.Hour},
		"p1y2m3dt4h5m6.5s": {Years: 1, Months: 2, Days: 3, Time: 4*time.Hour + 5*time.Minute + 6500*time.Millisecond},
		"P0.5D":            {Time: 12 * time.Hour}, "P1,5W": {Days: 7, Time: 84 * time.Hour}, " P1D ": {Days: 1}, "P0D": {},
		"PT2592000S": {Time: 30 * 24 * time.Hour}, "PT1M": {Time: time.Minute}, "P1M": {Months: 1}, "P1DT": {Days: 1},
	} {
		got, err := apiclient.ParseDuration(text)
		if text == "P1DT" {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, bad := range []string{
		"", "P", "PT", "30D", "P-1D", "-P1D", "P1", "PD", "P1D1D", "P1.5Y", "P0.5M", "P1H", "PT1D", "P1.D", "P.5D",
		"P1e3D", "P999999999999D", "PT9999999H", "P1DPT1H", "P١D", "N/A",
	} {
		_, err := apiclient.ParseDuration(bad)
		require.Error(t, err, bad)
	}
}

func TestStatesHaveOneName(t *testing.T) {
	t.Parallel()
	require.Equal(t, apiclient.StateComplete, apiclient.ProcessingState("Completed").Normal())
	require.Equal(t, apiclient.ProcessingState("Odd"), apiclient.ProcessingState("Odd").Normal())
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "120": 2 * time.Minute, " 7 ": 7 * time.Second, "99999999999999999999": 24 * time.Hour, "-1": 0, "1.5": 0, "soon": 0,
		"Sun, 01 Mar 2026 12:00:30 GMT": 30 * time.Second, "Sun, 01 Mar 2026 11:00:00 GMT": 0, "Sunday, 01-Mar-26 12:01:00 GMT": time.Minute,
		"Sun Mar  1 12:02:00 2026": 2 * time.Minute, "Fri, 31 Dec 9999 23:59:59 GMT": 24 * time.Hour,
	} {
		require.Equal(t, want, apiclient.RetryAfter(header, now), header)
	}
}

func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{"10.30", `"10.30"`, "null", "1e999", `""`, `"1,5"`, "[1]", "0.0000010"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d apiclient.Decimal
		if json.Unmarshal([]byte(text), &d) != nil {
			require.False(t, json.Valid([]byte(text)), "a valid value must be read: %q", text)
			return
		}
		amount, err := d.Amount("EUR")
		if err == nil {
			exact, ok := new(big.Rat).SetString(string(d))
			require.True(t, ok)
			require.Zero(t, exact.Cmp(big.NewRat(amount.Micros(), money.Scale)))
		}
		if written, err := json.Marshal(d); err == nil {
			var again apiclient.Decimal
			require.NoError(t, json.Unmarshal(written, &again))
			require.Equal(t, d, again)
		}
	})
}

func FuzzTime(f *testing.F) {
	for _, seed := range []string{"2026-03-01T12:00:00.1234567Z", "9999-12-31T23:59:59.9999999-14:00", "0001-01-01T00:00:00", "2026-03-01", "2026-03-01 12:00:00+0530"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := apiclient.Time(text).Time()
		if err != nil {
			return
		}
		require.Equal(t, time.UTC, at.Location())
		written, err := at.MarshalText()
		require.NoError(t, err, "a time that cannot be stored: %q", text)
		again, err := apiclient.Time(written).Time()
		require.NoError(t, err)
		require.True(t, at.Equal(again))
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, seed := range []string{"P30D", "P1Y2M3W4DT5H6M7.8S", "P0,5D", "PT99999999S", "P99999999W", "P1DT1H"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := apiclient.ParseDuration(text)
		if err != nil {
			require.Zero(t, p)
			return
		}
		require.GreaterOrEqual(t, min(p.Years, p.Months, p.Days), 0)
		require.GreaterOrEqual(t, p.Time, time.Duration(0), "overflow")
		lower, err := apiclient.ParseDuration(strings.ToLower(text))
		require.NoError(t, err)
		require.Equal(t, p, lower)
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"120", "Sun, 01 Mar 2026 12:00:30 GMT", "99999999999999999999", "-1", "1e9"} {
		f.Add(seed)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, header string) {
		wait := apiclient.RetryAfter(header, now)
		require.True(t, wait >= 0 && wait <= 24*time.Hour, wait)
	})
}
