package sheet

import "airtill/internal/picture"

// The measures of a picture, in millimetres.
const (
	plotHeight = 44
	plotLeft   = 22 // for the numbers of the scale
	barHeight  = 4
	barNames   = 80
)

// draw draws a picture above the table, as pages do.
func (p *printer) draw(pic picture.Picture) {
	if len(pic.Points)+len(pic.Lines) == 0 {
		return
	}
	p.pdf.SetFont("go", "B", 9)
	p.pdf.CellFormat(0, lineHeight, drawable(pic.Title), "", 1, "", false, 0, "")
	p.pdf.SetFont("go", "", 7)
	p.pdf.SetDrawColor(150, 150, 150)
	switch pic.Kind {
	case picture.Columns:
		p.drawColumns(pic)
	case picture.Bars:
		p.drawBars(pic)
	case picture.Heat:
		p.drawHeat(pic)
	}
	p.pdf.SetDrawColor(0, 0, 0)
	p.pdf.Ln(4)
}

// part is so many thousandths of a length.
func part(perMille, length int) float64 { //nolint:forbidigo // millimetres on paper
	return float64(perMille) * float64(length) / 1000 //nolint:forbidigo // likewise
}

func (p *printer) drawColumns(pic picture.Picture) {
	top, wide := p.pdf.GetY()+2, pageWidth-plotLeft
	left := part(1000, margin+plotLeft)
	for i, tick := range pic.Ticks {
		y := top + part(1000-1000*i/(len(pic.Ticks)-1), plotHeight)
		p.pdf.SetXY(margin, y-2)
		p.pdf.CellFormat(plotLeft-2, 4, drawable(tick), "", 0, "R", false, 0, "")
		p.pdf.Line(left, y, left+part(1000, wide), y)
	}
	each := part(1000, wide) / part(1000, len(pic.Points))
	broad := part(pic.Broad(), 1) * each
	for i, point := range pic.Points {
		x := left + part(1000*i, 1)*each
		low, high := min(pic.Zero, point.Size), max(pic.Zero, point.Size)
		p.pdf.SetFillColor(90, 90, 200)
		p.pdf.Rect(x+(each-broad)/2, top+part(1000-high, plotHeight), broad, part(high-low, plotHeight), "F")
		if pic.Compared {
			p.pdf.SetFillColor(0, 0, 0)
			p.pdf.Rect(x+(each-broad*5/4)/2, top+part(1000-point.Mark, plotHeight), broad*5/4, 0.5, "F")
		}
		if labelled, _ := pic.Labelled(i); labelled {
			p.pdf.SetXY(x-10, top+plotHeight+1)
			p.pdf.CellFormat(each+20, 4, drawable(point.Short), "", 0, "C", false, 0, "")
		}
	}
	p.pdf.SetXY(margin, top+plotHeight+6)
}

func (p *printer) drawBars(pic picture.Picture) {
	for _, point := range pic.Points {
		y := p.pdf.GetY()
		p.pdf.CellFormat(barNames, barHeight, p.shortened(drawable(point.Name)), "", 0, "", false, 0, "")
		p.pdf.SetFillColor(90, 90, 200)
		p.pdf.Rect(margin+barNames+2, y+0.8, part(point.Size, 150), barHeight-1.6, "F")
		if pic.Compared {
			p.pdf.SetFillColor(0, 0, 0)
			p.pdf.Rect(margin+barNames+2+part(point.Mark, 150), y, 0.5, barHeight, "F")
		}
		p.pdf.CellFormat(0, barHeight, drawable(point.Value), "", 1, "R", false, 0, "")
	}
}

// shortened is the beginning of a name that is too long to stand beside its bar.
func (p *printer) shortened(name string) string {
	const room, more = barNames*1000 - aside, "…"
	if p.wide(name) <= room {
		return name
	}
	signs := []rune(name)
	for len(signs) > 0 && p.wide(string(signs)+more) > room {
		signs = signs[:len(signs)-1]
	}
	return string(signs) + more
}

func (p *printer) drawHeat(pic picture.Picture) {
	each := part(1000, pageWidth-plotLeft) / part(1000, max(len(pic.Hours), 1))
	cell := func(text string, heat int) {
		grey := 255 - 30*heat
		p.pdf.SetFillColor(grey, grey, 255)
		if heat > 3 {
			p.pdf.SetTextColor(255, 255, 255)
			p.pdf.SetFillColor(255-50*heat, 255-50*heat, 200)
		}
		p.pdf.CellFormat(each, 5, drawable(text), "", 0, "C", true, 0, "")
		p.pdf.SetTextColor(0, 0, 0)
	}
	p.pdf.CellFormat(plotLeft, 5, "", "", 0, "", false, 0, "")
	for _, hour := range pic.Hours {
		cell(hour, 0)
	}
	p.pdf.Ln(5)
	for _, line := range pic.Lines {
		p.pdf.CellFormat(plotLeft, 5, drawable(line.Name), "", 0, "", false, 0, "")
		for _, c := range line.Cells {
			cell(c.Value, c.Heat)
		}
		p.pdf.Ln(5)
	}
}
