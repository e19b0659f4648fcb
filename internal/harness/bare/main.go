// Command bare serves the component of the products page with fixed data behind gin, and
// does nothing else: what the page costs at least. Its argument is how many products.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/text/language"

	"airtill/internal/money"
	"airtill/web/locale"
	"airtill/web/templates"
)

func main() {
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

func serve(products string) error {
	n, err := strconv.Atoi(products)
	if err != nil {
		return err
	}
	page := templates.Offers(offers(n))
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/", func(c *gin.Context) {
		c.Header("Content-Type", "text/html; charset=utf-8")
		if err := page.Render(c.Request.Context(), c.Writer); err != nil {
			_ = c.AbortWithError(http.StatusInternalServerError, err) // it returns what it is given
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it lives as long as the program
	if err != nil {
		return err
	}
	where := map[string]string{"url": "http://" + listener.Addr().String()}
	if err := json.NewEncoder(os.Stdout).Encode(where); err != nil {
		return err
	}
	server := &http.Server{Handler: engine, ReadHeaderTimeout: time.Minute}
	return server.Serve(listener)
}

// offers is a page of so many products.
func offers(n int) templates.OffersPage {
	operator := templates.Operator{Code: "SHIE", Name: "Shannon Mobile", ISO: "IE", Country: "Ireland"}
	group := templates.OfferGroup{Kind: "top-up"}
	for i := range n {
		price := money.Of(int64(i+1)*money.Scale, "EUR")
		group.Offers = append(group.Offers, templates.Offer{
			SKU: "SHIE" + strconv.Itoa(10_000+i), Name: "Top-up " + strconv.Itoa(i+1), Receive: &price, Price: price,
			Validity: "30 days",
		})
	}
	return templates.OffersPage{
		Frame: templates.Frame{
			Locale: locale.New(language.MustParse("en-IE"), time.UTC), CSRF: "token-of-this-session", Path: "/counter",
			Shop: "Bench Shop", Till: "Till 1", User: "Cashier 0",
			May:   templates.Permissions{Sell: true, Sales: true, Shift: true},
			Shift: templates.Shift{Open: true},
		},
		Trail: templates.Trail{
			Account: "+353 87 100 0000", AccountURL: "/counter", Operator: operator,
			ProductURL: "/counter?number=0871000000",
		},
		Groups: []templates.OfferGroup{group},
	}
}
