package catalog_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

// market is a service over the sandbox's own market.
func market(t *testing.T, db *store.DB) *bench {
	t.Helper()
	b := newBench(t, db, newUpstream(t, sandbox.Deps{}))
	b.syncAll(t)
	return b
}

func (b *bench) lookup(t *testing.T, text string) catalog.Result {
	t.Helper()
	result, err := b.Lookup(t.Context(), b.number(t, text))
	require.NoError(t, err)
	return result
}

// ambiguous makes both operators of a two-operator list take every number of
// Ireland, so that only the upstream can tell.
func ambiguous(t *testing.T) *upstream {
	t.Helper()
	u := newListed(t, append(stock(3), "OTH1,Other Ireland,EUR 5.00,Top-up,Ireland,N/A", "PIN1,Zephyr Ireland,EUR 5.00,PIN,Ireland,30 Days", "GIFT1,Giftland Ireland,EUR 10.00,Voucher,Ireland,N/A")...)
	u.alter(func(method string, body []byte) []byte {
		if method != "GetProviders" {
			return body
		}
		var answer struct {
			ResultCode int
			ErrorCodes []any
			Items      []map[string]any
		}
		require.NoError(t, json.Unmarshal(body, &answer))
		for _, item := range answer.Items {
			item["ValidationRegex"] = "^353[0-9]{9}$"
		}
		body, err := json.Marshal(answer)
		require.NoError(t, err)
		return body
	})
	return u
}

func TestLookupFindsTheOperatorWithoutAskingAnybody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := market(t, db)
		result := b.lookup(t, "0871234567")
		require.Equal(t, catalog.FoundOperator, result.Outcome)
		require.Equal(t, "IE", result.Country)
		require.Equal(t, catalog.SourcePattern, result.Source)
		require.Len(t, result.Candidates, 1)
		require.Equal(t, "353871234567", result.Candidates[0].AccountNumber)
		require.True(t, result.Candidates[0].Checked)
		require.Zero(t, b.upstream.count("GetAccountLookup"))
		require.NotEmpty(t, b.Current().Offers(catalog.OfferQuery{Provider: result.Candidates[0].Provider.Code, At: time.Now()}))
		require.Equal(t, 1, b.count(t, "airtill_catalog_lookups_total", "pattern"))
	})
}

// Wherever the catalogue is decisive by itself, the upstream agrees.
func TestGuessesAgreeWithTheUpstream(t *testing.T) {
	t.Parallel()
	b := market(t, storetest.New(t))
	agreed := 0
	for _, text := range []string{"0871234567", "+353861234567", "+2348031234567", "+639171234567", "+919812345678", "+5215512345678", "+5352345678", "+201001234567", "+40721234567", "+48501234567"} {
		n := b.number(t, text)
		guess := b.Current().Guess(n)
		require.Equal(t, n.Country, guess.Country, text)
		if guess.Outcome != catalog.FoundOperator {
			continue
		}
		code := guess.Candidates[0].Provider.Code
		body := b.ask(t, "GetAccountLookup?accountNumber="+n.Digits)
		if strings.Contains(body, "ProviderCode") {
			require.Contains(t, body, `"`+code+`"`, text)
			agreed++
		}
	}
	require.Positive(t, agreed)
}

// ask calls the upstream as anybody could.
func (b *bench) ask(t *testing.T, path string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.upstream.url+"/api/V1/"+path, nil)
	require.NoError(t, err)
	request.Header.Set("api_key", "sandbox-key")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

func answerLookup(u *upstream, answer string) {
	inner := u.tamper.Load()
	u.alter(func(method string, body []byte) []byte {
		if method == "GetAccountLookup" {
			return []byte(answer)
		}
		if inner != nil {
			return (*inner)(method, body)
		}
		return body
	})
}

func codes(candidates []catalog.Candidate) (codes []string) {
	for _, c := range candidates {
		codes = append(codes, c.Provider.Code)
	}
	return codes
}

// undecided is a service to which two operators look alike.
func undecided(t *testing.T, db *store.DB) *bench {
	t.Helper()
	b := newBench(t, db, ambiguous(t))
	b.syncAll(t)
	require.ElementsMatch(t, []string{"ZEIE", "OTIE"}, codes(b.Current().Guess(b.number(t, "0871234567")).Candidates))
	return b
}

func TestLookupAsksWhenItMustAndRemembers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := undecided(t, db)
		answerLookup(b.upstream, `{"ResultCode":1,"ErrorCodes":[],"CountryIso":"IE","Items":[{"ProviderCode":"OTIE","RegionCode":"IE"}]}`)
		result := b.lookup(t, "0871234567")
		require.Equal(t, catalog.FoundOperator, result.Outcome)
		require.Equal(t, catalog.SourceLookup, result.Source)
		require.Equal(t, []string{"OTIE"}, codes(result.Candidates))
		require.Equal(t, []string{"ZEIE"}, codes(result.Also), "the customer may know better")

		b.clock.advance(29 * 24 * time.Hour)
		require.Equal(t, []string{"OTIE"}, codes(b.lookup(t, "+353 87 123 4567").Candidates))
		require.Equal(t, 1, b.upstream.count("GetAccountLookup"))

		b.clock.advance(2 * 24 * time.Hour)
		b.lookup(t, "0871234567")
		require.Equal(t, 2, b.upstream.count("GetAccountLookup"), "numbers move")

		var rows []string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT number_hash FROM number_operators UNION SELECT number_hash FROM number_lookups").Scan(&rows).Error)
		require.NotEmpty(t, rows)
		for _, hash := range rows {
			require.NotContains(t, hash, "1234567")
		}
	})
}

func TestLookupOffersAChoiceOfSeveral(t *testing.T) {
	t.Parallel()
	b := undecided(t, storetest.New(t))
	answerLookup(b.upstream, `{"ResultCode":1,"ErrorCodes":[],"CountryIso":"IE","Items":[{"ProviderCode":"OTIE","RegionCode":"IE"},{"ProviderCode":"GONE","RegionCode":"IE"},{"ProviderCode":"ZEIE","RegionCode":"IE"}]}`)
	result := b.lookup(t, "0871234567")
	require.Equal(t, catalog.FoundChoice, result.Outcome)
	require.Equal(t, []string{"OTIE", "ZEIE"}, codes(result.Candidates), "in the upstream's order, without those that sell nothing")
	b.lookup(t, "0871234567")
	require.Equal(t, 1, b.upstream.count("GetAccountLookup"), "asked once a day")
}

func TestNearestMatchIsOnlyACountry(t *testing.T) {
	t.Parallel()
	b := market(t, storetest.New(t))
	n, err := catalog.ParseNumber("+15005550006", "IE")
	require.NoError(t, err)
	answerLookup(b.upstream, `{"ResultCode":2,"ErrorCodes":[{"Code":"NearestMatch"}],"CountryIso":"IE","Items":[]}`)
	result, err := b.Lookup(t.Context(), n)
	require.NoError(t, err)
	require.NotEqual(t, catalog.FoundOperator, result.Outcome)

	result = b.lookup(t, "+99912345678")
	require.Equal(t, catalog.FoundCountry, result.Outcome)
	require.Equal(t, "IE", result.Country)
	require.Empty(t, result.Candidates, "never the whole list as if it matched")
	require.Empty(t, result.Also)
}

func TestUnknownNumberFindsNothing(t *testing.T) {
	t.Parallel()
	b := market(t, storetest.New(t))
	answerLookup(b.upstream, `{"ResultCode":4,"ErrorCodes":[{"Code":"AccountNumberInvalid"}],"Items":[]}`)
	result := b.lookup(t, "+99912345678")
	require.Equal(t, catalog.FoundNothing, result.Outcome)
	require.Empty(t, result.Candidates)
	require.Empty(t, result.Country)
	b.lookup(t, "+99912345678")
	require.Equal(t, 1, b.upstream.count("GetAccountLookup"), "a no is an answer, too")
}

func TestSlowUpstreamDoesNotHoldTheScreen(t *testing.T) {
	t.Parallel()
	b := undecided(t, storetest.New(t))
	held := make(chan struct{})
	release := sync.OnceFunc(func() { close(held) })
	t.Cleanup(release)
	b.upstream.stand(func(w http.ResponseWriter, _ *http.Request) {
		<-held
		_, _ = io.WriteString(w, `{"ResultCode":1,"ErrorCodes":[],"CountryIso":"IE","Items":[{"ProviderCode":"OTIE","RegionCode":"IE"}]}`)
	})
	result := b.lookup(t, "0871234567") // while the call goes on
	require.Equal(t, catalog.FoundChoice, result.Outcome)
	require.ElementsMatch(t, []string{"ZEIE", "OTIE"}, codes(result.Candidates))
	require.Equal(t, catalog.SourcePattern, result.Source)

	release() // the answer comes too late for this screen and serves the next
	require.Eventually(t, func() bool { return b.lookup(t, "0871234567").Outcome == catalog.FoundOperator }, soon, 10*time.Millisecond)
	require.Equal(t, 1, b.upstream.count("GetAccountLookup"))
}

func TestUpstreamDownOffersTheCandidates(t *testing.T) {
	t.Parallel()
	b := undecided(t, storetest.New(t))
	b.upstream.shut()
	result := b.lookup(t, "0871234567")
	require.Equal(t, catalog.FoundChoice, result.Outcome)
	require.NotContains(t, b.log.String(), "871234567")
}

func TestSalesAreRememberedLongerThanAnswers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := undecided(t, db)
		require.NoError(t, b.Remember(t.Context(), "353871234567", "OTIE", catalog.SourceLookup))
		require.NoError(t, b.Remember(t.Context(), "353871234567", "ZEIE", catalog.SourceSale))
		result := b.lookup(t, "0871234567")
		require.Equal(t, []string{"ZEIE"}, codes(result.Candidates))
		require.Equal(t, catalog.SourceSale, result.Source)
		require.Equal(t, []string{"OTIE"}, codes(result.Also))

		b.clock.advance(time.Hour)
		require.NoError(t, b.Remember(t.Context(), "353871234567", "OTIE", catalog.SourceSale))
		require.Equal(t, []string{"OTIE", "ZEIE"}, codes(b.lookup(t, "0871234567").Candidates), "the latest first")

		require.NoError(t, b.Remember(t.Context(), "0000000000", "ZEIE", catalog.SourceSale))
		require.Empty(t, b.lookup(t, "0000000000").Candidates, "nobody's number is nobody's")
		require.Zero(t, b.upstream.count("GetAccountLookup"))
	})
}

func TestVouchersAreNotCandidates(t *testing.T) {
	t.Parallel()
	b := undecided(t, storetest.New(t))
	result := b.Current().Guess(b.number(t, "0871234567"))
	require.NotContains(t, append(codes(result.Candidates), codes(result.Also)...), "GIIE")
	providers := b.Current().ProvidersIn("IE")
	require.Len(t, providers, 3)
	require.Equal(t, "Giftland Ireland", providers[2].Name, "they are found by country and name, after those who sell to numbers")
}

func TestMeterNumbersFindTheirUtility(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), newListed(t, append(stock(3), "MET1,Bright Power Ireland,EUR 5.00 (Min)EUR 90.00 (Max),Prepaid Utility,Ireland,N/A")...))
	b.syncAll(t)
	result := b.lookup(t, "45701234567")
	require.Equal(t, catalog.FoundOperator, result.Outcome)
	require.Equal(t, "Bright Power Ireland", result.Candidates[0].Provider.Name)
	require.Equal(t, "45701234567", result.Candidates[0].AccountNumber)
	require.Zero(t, b.upstream.count("GetAccountLookup"))
}

// A meter's number at home that would be a phone's abroad still finds its
// utility, and a phone's number is never decided to be a meter's.
func TestMeterNumbersThatLookLikePhones(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), newListed(t, append(stock(3), "MET1,Bright Power Ireland,EUR 5.00 (Min)EUR 90.00 (Max),Prepaid Utility,Ireland,N/A", "US1,Liberty USA,USD 5.00,Top-up,USA,N/A")...))
	b.syncAll(t)
	american := codes(b.Current().Guess(b.number(t, "+12125550123")).Candidates)
	require.NotEmpty(t, american)
	for text, home := range map[string][]string{"12125550123": {"BRIE"}, "+12125550123": nil, "0012125550123": nil} {
		guess := b.Current().Guess(b.number(t, text))
		require.Equal(t, "US", guess.Country, text)
		require.Equal(t, home != nil, guess.Foreign, text)
		require.Equal(t, append(home, american...), codes(guess.Candidates), text)
	}
	landline := b.Current().Guess(b.number(t, "016123456"))
	require.Equal(t, catalog.FoundChoice, landline.Outcome)
	require.Equal(t, []string{"BRIE"}, codes(landline.Candidates))
	abroad := meters(t, map[string]string{"BRIE": "^353[0-9]{9}$"})
	require.NotContains(t, codes(abroad.Current().Guess(abroad.number(t, "0871234567")).Candidates), "BRIE", "nobody typed its 353")
}

// meters is a market of two operators and a utility, with patterns of the test's own.
func meters(t *testing.T, patterns map[string]string) *bench {
	t.Helper()
	u := newListed(t, append(stock(3), "MET1,Bright Power Ireland,EUR 5.00 (Min)EUR 90.00 (Max),Prepaid Utility,Ireland,N/A", "NG1,Lagos Mobile Nigeria,NGN 5.00,Top-up,Nigeria,N/A")...)
	u.alter(func(method string, body []byte) []byte {
		if method != "GetProviders" {
			return body
		}
		var answer map[string]any
		require.NoError(t, json.Unmarshal(body, &answer))
		for _, item := range answer["Items"].([]any) {
			provider := item.(map[string]any)
			if pattern, ok := patterns[provider["ProviderCode"].(string)]; ok {
				provider["ValidationRegex"] = pattern
			}
		}
		body, err := json.Marshal(answer)
		require.NoError(t, err)
		return body
	})
	b := newBench(t, storetest.New(t), u)
	b.syncAll(t)
	return b
}

// A digit too many or too few is said before the number is taken for anything else,
// whoever else takes it; nobody is asked about it.
func TestOneDigitTooManyOrTooFewIsSaid(t *testing.T) {
	t.Parallel()
	b := meters(t, map[string]string{"BRIE": "^[0-9]{9,11}$"})
	for text, want := range map[string]catalog.Length{
		"08712345678":      {Country: "IE", Want: 10, Has: 11},
		"087 123 4567 8":   {Country: "IE", Want: 10, Has: 11},
		"087123456":        {Country: "IE", Want: 10, Has: 9},
		"+353 87 123 456":  {Country: "IE", Want: 12, Has: 11},
		"3538712345678":    {Country: "IE", Want: 12, Has: 13},
		"+234 803 1234 56": {Country: "NG", Want: 13, Has: 12},
	} {
		result := b.lookup(t, text)
		require.Equal(t, catalog.FoundMistyped, result.Outcome, text)
		require.Equal(t, &want, result.Slip, text)
	}
	require.Equal(t, []string{"BRIE"}, codes(b.lookup(t, "08712345678").Candidates), "who may be meant all the same")
	require.Zero(t, b.upstream.count("GetAccountLookup"))

	require.NoError(t, b.Remember(t.Context(), "08712345678", "BRIE", catalog.SourceSale))
	known := b.lookup(t, "08712345678")
	require.Equal(t, catalog.FoundOperator, known.Outcome, "it was sold to before")
	require.Nil(t, known.Slip)
	for _, text := range []string{"0871234567", "0871", "4570123", "016123456", "+353871234567", "45701234567890123"} {
		n, err := catalog.ParseNumber(text, "IE")
		if err == nil {
			require.NotEqual(t, catalog.FoundMistyped, b.Current().Guess(n).Outcome, text)
		}
	}
	n, err := catalog.ParseNumber("0211234567", "NZ")
	require.NoError(t, err)
	require.Nil(t, b.Current().Guess(n).Slip, "mobiles of New Zealand have nine, ten or eleven digits")
}

// Where a number could be a phone's and a meter's, both are offered, the phone first.
func TestAPhoneThatCouldBeAMeterIsAChoice(t *testing.T) {
	t.Parallel()
	b := meters(t, map[string]string{"BRIE": "^[0-9]{10}$"})
	both := b.lookup(t, "0871234567")
	require.Equal(t, catalog.FoundChoice, both.Outcome)
	require.Equal(t, "BRIE", both.Candidates[len(both.Candidates)-1].Provider.Code)
	require.Equal(t, "0871234567", both.Candidates[len(both.Candidates)-1].AccountNumber)
	require.Equal(t, "353871234567", both.Candidates[0].AccountNumber)
	require.NotContains(t, codes(b.lookup(t, "+353871234567").Candidates), "BRIE", "a plus sign says that it is a phone")
}

// The digits of a phone abroad are not taken for one unless somebody says so.
func TestAForeignReadingIsNeverSilent(t *testing.T) {
	t.Parallel()
	b := meters(t, map[string]string{"BRIE": "^[0-9]{11}$"})
	bare, plus := b.lookup(t, "2348031234567"), b.lookup(t, "+2348031234567")
	require.True(t, bare.Foreign)
	require.False(t, plus.Foreign)
	require.Contains(t, []catalog.Found{catalog.FoundChoice, catalog.FoundCountry}, bare.Outcome)
	require.Equal(t, codes(plus.Candidates), codes(bare.Candidates))
	require.NoError(t, b.Remember(t.Context(), "2348031234567", "LANG", catalog.SourceSale))
	known := b.lookup(t, "2348031234567")
	require.Equal(t, catalog.FoundOperator, known.Outcome, "it was sold to before")
	require.False(t, known.Foreign)
}

func TestNumbersWithLettersAndHyphensFindTheirProvider(t *testing.T) {
	t.Parallel()
	for pattern, typed := range map[string]string{"^[A-Z]{2}[0-9]{8}$": "gb12345678", "^P[0-9]{9}$": "P 123-456-789", "^[0-9]{6}-[0-9]{6}$": "123456-123456"} {
		b := meters(t, map[string]string{"BRIE": pattern})
		result := b.lookup(t, typed)
		require.Equal(t, catalog.FoundOperator, result.Outcome, typed)
		require.Equal(t, []string{"BRIE"}, codes(result.Candidates), typed)
		require.Equal(t, catalog.Matches, b.Current().Accepts(result.Candidates[0].Provider, result.Candidates[0].AccountNumber), typed)

		product := b.Current().ProductsOf("BRIE")[0]
		require.Equal(t, result.Candidates[0].AccountNumber, b.Current().AccountNumber(product, b.number(t, typed)))
		require.NoError(t, b.Current().CheckNumber(product, b.number(t, typed)))
		require.Error(t, b.Current().CheckNumber(product, b.number(t, "XYZ123456")))
		_, err := b.Lookup(t.Context(), b.number(t, "XYZ123456"))
		require.Equal(t, "number", fault.FieldOf(err))
		require.Contains(t, fault.Message(err), "letters")
		require.Zero(t, b.upstream.count("GetAccountLookup"))
	}
	require.Equal(t, "AB-00000000", (&catalog.Product{UATNumber: "+AB-0000 0000"}).TestNumber())
}

func TestPatternsThatDoNotCompileAreNotChecked(t *testing.T) {
	t.Parallel()
	s := catalog.EmptySnapshot()
	for pattern, want := range map[string]catalog.Match{
		`^0?353(8[0-9]{8})$`: catalog.Matches, `^0?44[0-9]{10}$`: catalog.Differs,
		`^(?=353)[0-9]+$`: catalog.Unchecked, `^(?<!0)353`: catalog.Unchecked, `((`: catalog.Unchecked, "": catalog.Unchecked,
		`^` + strings.Repeat("3?", 300) + `$`: catalog.Unchecked, `(a+)+$`: catalog.Differs, `^(?>353)`: catalog.Unchecked,
		`^[1|4|7][1][0-9]{10}$`: catalog.Differs, `x{1001}`: catalog.Unchecked,
	} {
		require.Equal(t, want, s.Accepts(&catalog.Provider{ValidationRegex: pattern}, "353871234567"), pattern)
	}
}

// An operator whose pattern cannot be checked is a candidate, never a decision.
func TestUncheckedIsNoDecision(t *testing.T) {
	t.Parallel()
	u := newListed(t, stock(3)...)
	u.alter(func(method string, body []byte) []byte {
		if method == "GetProviders" {
			return []byte(strings.Replace(string(body), `"ValidationRegex":"`, `"ValidationRegex":"(?=0)`, 1))
		}
		return body
	})
	b := newBench(t, storetest.New(t), u)
	b.syncAll(t)
	guess := b.Current().Guess(b.number(t, "0871234567"))
	require.Equal(t, catalog.FoundChoice, guess.Outcome)
	require.False(t, guess.Candidates[0].Checked)
	b.lookup(t, "0871234567")
	require.Equal(t, 1, u.count("GetAccountLookup"))
}

func TestNothingIsSoldWithoutACatalogue(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), newListed(t, stock(3)...))
	_, err := b.Lookup(t.Context(), b.number(t, "0871234567"))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Contains(t, fault.Message(err), "nothing can be sold")
}
