package web

import (
	"compress/zlib"
	"encoding/csv"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/language"

	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
)

func TestStatementsAreReadAndTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	b.pass(48 * time.Hour) // the day of the open shift is over
	closed, err := b.server.D.Statements.CloseDue(t.Context())
	require.NoError(t, err)
	require.Positive(t, closed)
	w := b.signIn(staff.Manager)
	link := w.get("/statements").page(t).Find("table.list tbody a").Last()
	require.Equal(t, "1 Mar 2026", link.Text())
	page := link.AttrOr("href", "")
	got := w.get(page)
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Contains(t, got.page(t).Find("main").Text(), "€100.00", "the float of the drawer")
	for format, kind := range map[string]string{"csv": "text/csv", "xlsx": "spreadsheetml", "pdf": "application/pdf"} {
		file := w.get(page + "." + format)
		require.Equal(t, http.StatusOK, file.StatusCode, format)
		require.Contains(t, file.Header.Get("Content-Type"), kind)
		require.NotEmpty(t, file.body)
	}
	require.Contains(t, w.get(page+".csv").body, "Closing,EUR,100.00")
	require.Equal(t, http.StatusNotFound, w.get(page+".exe").StatusCode)
	require.Equal(t, http.StatusNotFound, w.get("/statements/nothing").StatusCode)

	other, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Elsewhere", Zone: "UTC", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	_, err = b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "boss2", Role: staff.Manager, ShopID: other.ID, Password: password})
	require.NoError(t, err)
	stranger := b.browser()
	require.Equal(t, http.StatusSeeOther, stranger.post("/login", map[string][]string{"username": {"boss2"}, "password": {password}}).StatusCode)
	require.Equal(t, http.StatusNotFound, stranger.get(page).StatusCode, "another shop's")
	require.NotContains(t, stranger.get("/statements").body, page)
}

// TestADateIsTheSameOnEveryClock, also where noon in Greenwich is the next day.
func TestADateIsTheSameOnEveryClock(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Pacific/Pago_Pago", "UTC", "Pacific/Auckland", "Pacific/Tongatapu", "Pacific/Kiritimati"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, storetest.New(t), nil)
			require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.Exec("UPDATE shops SET zone = ?", zone).Error
			}))
			b.pass(72 * time.Hour)
			_, err := b.server.D.Statements.CloseDue(t.Context())
			require.NoError(t, err)
			var day string
			require.NoError(t, b.db.Read(t.Context()).Raw("SELECT MIN(day) FROM statements").Scan(&day).Error)
			at, err := time.Parse(time.DateOnly, day)
			require.NoError(t, err)
			w, shown := b.signIn(staff.Manager), at.Format("2 Jan 2006")
			link := w.get("/statements?month=" + day[:7]).page(t).Find("table.list tbody a").Last()
			require.Equal(t, shown, link.Text())
			require.Contains(t, w.get(link.AttrOr("href", "")).page(t).Find("h1").Text(), shown)
			require.Contains(t, squeezed(w.get("/shifts?from="+day+"&to="+day).page(t).Find("main").Text()), shown+" to "+shown)
			require.Contains(t, squeezed(w.get("/sales?from="+day+"&to="+day).page(t).Find("main").Text()), shown+" to "+shown)
		})
	}
}

// TestAStatementsFilesSayTheSame: the workbook and the pages, opened again, have the
// figures of the CSV file, which are those of the page, all of them, in its order; and
// those are what was closed.
func TestAStatementsFilesSayTheSame(t *testing.T) {
	t.Parallel()
	b := trading(t)
	b.pass(48 * time.Hour)
	_, err := b.server.D.Statements.CloseDue(t.Context())
	require.NoError(t, err)
	var late string
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT id FROM sales WHERE cash = 'earned' ORDER BY id LIMIT 1").Scan(&late).Error)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return ledger.Post(t.Context(), tx, ledger.Entry{Key: late + "/late", SaleID: late, At: b.clock(), Journal: ledger.LateLoss(money.MustParse("9.40", "EUR"))})
	}))
	b.pass(24 * time.Hour)
	_, err = b.server.D.Statements.CloseDue(t.Context())
	require.NoError(t, err)
	w := b.signIn(staff.Finance)
	english, traded, corrected := locale.New(language.English, b.shop.Location()), 0, 0
	w.get("/statements").page(t).Find("table.list tbody tr").Each(func(i int, row *goquery.Selection) {
		if i >= 9 { // three days of three shops
			return
		}
		path := row.Find("a").AttrOr("href", "")
		page := w.get(path).page(t).Find("main")
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.get(path+".csv").body, "\uFEFF"))).ReadAll()
		require.NoError(t, err)
		require.Greater(t, len(rows), 3)
		if len(rows) > 8 {
			traded++
		}

		book, err := excelize.OpenReader(strings.NewReader(w.get(path + ".xlsx").body))
		require.NoError(t, err)
		cells, err := book.GetRows(book.GetSheetName(0), excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		require.NoError(t, book.Close())
		require.Equal(t, rows, cells)

		texts := pdfTexts(t, w.get(path+".pdf").body)
		shop, title := row.Find("th .hint").Text(), page.Find("h1").Text()
		require.NotEmpty(t, shop)
		require.Contains(t, texts[0], shop+" · ")
		require.Contains(t, texts[0], title)
		require.Contains(t, title, row.Find("a").Text(), "the day")
		require.Contains(t, texts[2], page.Find(".hash").Text())
		want, lines := rows[0], [][]string(nil)
		for _, row := range rows[1:] {
			amount, err := money.Parse(row[3], money.Currency(row[2]))
			require.NoError(t, err)
			row[3] = english.Amount(amount)
			want, lines = append(want, row...), append(lines, []string{row[0], row[1], row[3]})
		}
		require.Equal(t, want, texts[3:len(texts)-1], "and at the foot the page's number")
		require.Equal(t, shownLines(page), lines)
		corrected += page.Find("table tbody tr").Length()

		stored, err := b.server.D.Statements.Get(t.Context(), strings.TrimPrefix(path, "/statements/"), "")
		require.NoError(t, err)
		doc, err := stored.Read()
		require.NoError(t, err)
		require.NotEmpty(t, doc.Money)
		for _, m := range doc.Money {
			cash, trade := "Cash in the drawers · "+string(m.Currency), "Sales · "+string(m.Currency)
			for _, line := range [][]string{
				{cash, "Opening", english.Amount(money.Of(m.Cash.Opening, m.Currency))},
				{cash, "Closing", english.Amount(money.Of(m.Cash.Closing, m.Currency))},
				{trade, "Margin", english.Amount(money.Of(m.Margin, m.Currency))},
			} {
				require.Contains(t, lines, line)
			}
		}
	})
	require.Positive(t, traded)
	require.Equal(t, 1, corrected)
}

// shownLines are the figures of a statement's page: the part, the name, the amount.
func shownLines(page *goquery.Selection) (lines [][]string) {
	page.Find(".side").Each(func(_ int, part *goquery.Selection) {
		part.Find("dl > div").Each(func(_ int, line *goquery.Selection) {
			lines = append(lines, []string{part.Find("h2").Text(), line.Find("dt").Text(), line.Find("dd").Text()})
		})
	})
	page.Find("table tbody tr").Each(func(_ int, row *goquery.Selection) {
		cells := row.Find("td")
		for _, column := range []int{2, 3} { // by which the margin changed, and the drawers
			name := row.Find("th").Text() + " " + cells.Eq(1).Text() + " · " + page.Find("table thead th").Eq(column+1).Text()
			lines = append(lines, []string{page.Find(".part-title").Text(), name, cells.Eq(column).Text()})
		}
	})
	return lines
}

// pdfTexts are the texts that a document shows, one for each cell, in the order they
// were written: from the streams that hold the pages, in UTF-16.
func pdfTexts(t *testing.T, file string) (texts []string) {
	t.Helper()
	for _, part := range strings.Split(file, "stream\n")[1:] {
		inflated, err := zlib.NewReader(strings.NewReader(part))
		if err != nil {
			continue // what ends a stream, or what is not packed
		}
		content, err := io.ReadAll(inflated)
		require.NoError(t, err)
		for _, shown := range pdfText.FindAllStringSubmatch(string(content), -1) {
			raw := pdfEscape.ReplaceAllString(shown[1], "$1")
			var units []uint16
			for i := 0; i+1 < len(raw); i += 2 {
				units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
			}
			texts = append(texts, string(utf16.Decode(units)))
		}
	}
	return texts
}

var (
	pdfText   = regexp.MustCompile(`(?s)\(((?:[^\\)]|\\.)*)\)\s*Tj`)
	pdfEscape = regexp.MustCompile(`(?s)\\(.)`)
)
