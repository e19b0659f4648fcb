package web

import (
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
)

func TestAValidityIsSaidInWords(t *testing.T) {
	t.Parallel()
	for iso, words := range map[string][4]string{
		"P1Y2M10DT2H": {"1 year, 2 months, 10 days, 2 hours", "1 año, 2 meses, 10 días, 2 horas", "1 an, 2 mois, 10 jours, 2 heures", "سنة واحدة، شهران، \u2068١٠\u2069 أيام، ساعتان"},
		"PT1H30M":     {"1 hour, 30 minutes", "1 hora, 30 minutos", "1 heure, 30 minutes", "ساعة واحدة، \u2068٣٠\u2069 دقيقة"},
		"P30D":        {"30 days", "30 días", "30 jours", "\u2068٣٠\u2069 يومًا"},
		"nonsense":    {},
		"":            {},
	} {
		for i, tag := range []language.Tag{language.English, language.Spanish, language.French, language.Arabic} {
			require.Equal(t, words[i], frame.Validity(locale.New(tag, nil), iso), "%s %s", tag, iso)
		}
	}
}

// TestACardSaysWhatIsPaidAndWhatIsReceived, both in words, and a promotion until when.
func TestACardSaysWhatIsPaidAndWhatIsReceived(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	current, said := b.server.D.Catalog.Current(), 0
	for _, promotion := range current.RunningPromotions(b.clock()) {
		text, told := current.PromotionText(promotion, "en")
		if !told || promotion.Endless() {
			continue
		}
		page := w.get("/counter?number=" + irish + "&provider=" + promotion.Provider).page(t)
		page.Find(".card-offer").Each(func(_ int, card *goquery.Selection) {
			words := strings.Join(strings.Fields(card.Text()), " ")
			require.Contains(t, words, "Pays €")
			require.Equal(t, card.Find(".card-receive").Length() == 1, strings.Contains(words, "Receives "), words)
			require.NotRegexp(t, `[A-Z]{3} [\d.]+ to [\d.]+`, strings.TrimSpace(card.Find(".card-name:not(.visually-hidden)").Text()))
		})
		until := text.Headline + ", until " + locale.New(language.English, time.UTC).Date(promotion.EndsAt.Add(-time.Second))
		if strings.Contains(page.Find("main").Text(), until) {
			said++
		}
	}
	require.Greater(t, said, 3)
}
