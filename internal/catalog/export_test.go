package catalog

// ProductFrom lets tests read a wire product without a service.
var ProductFrom = productFrom
