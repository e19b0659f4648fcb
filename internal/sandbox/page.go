package sandbox

import "net/http"

func (s *Service) page(w http.ResponseWriter, r *http.Request) { s.getLedger(w, r) }
