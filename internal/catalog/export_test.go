package catalog

// ProductFrom lets tests read a wire product without a service.
var ProductFrom = productFrom

// NameOf is the version a Snapshot is of.
func NameOf(s *Snapshot) Version { return s.catalogue }

// EmptySnapshot is a Snapshot of nothing.
func EmptySnapshot() *Snapshot { return newSnapshot(content{}) }
