package locale

// frenchJobs are what jobs and their states are called.
var frenchJobs = map[string]string{
	"jobs.name.alertLook":        "Chercher ce qu’il faut signaler",
	"jobs.name.alertSend":        "Envoyer une alerte",
	"jobs.name.approvalSweep":    "Effacer les anciennes demandes aux responsables",
	"jobs.name.catalogForget":    "Effacer les anciennes recherches et synchronisations",
	"jobs.name.catalogStatus":    "Demander quels opérateurs ont des ennuis",
	"jobs.name.catalogSync":      "Synchroniser le catalogue",
	"jobs.name.customerSweep":    "Oublier les clients qui ne viennent plus",
	"jobs.name.ledgerCheckpoint": "Additionner les livres",
	"jobs.name.reconcileBalance": "Demander le solde",
	"jobs.name.reconcileQuiet":   "Comparer le solde aux livres",
	"jobs.name.reconcileRecords": "Comparer ventes et tiroirs aux relevés",
	"jobs.name.reconcileSweep":   "Chercher l’issue des ventes ouvertes",
	"jobs.name.reportDeliver":    "Envoyer les rapports par courriel",
	"jobs.name.reportRefresh":    "Tenir les rapports à jour",
	"jobs.name.salesPurge":       "Effacer les reçus et PIN périmés",
	"jobs.name.staffSweep":       "Terminer les anciennes sessions",
	"jobs.name.statementClose":   "Clôturer les relevés des jours écoulés",
	"jobs.name.verifyNightly":    "Vérifier les livres la nuit",

	"jobs.state.available": "Attend son tour",
	"jobs.state.cancelled": "Annulée",
	"jobs.state.completed": "Faite",
	"jobs.state.discarded": "Abandonnée",
	"jobs.state.pending":   "En suspens",
	"jobs.state.retryable": "Sera relancée",
	"jobs.state.running":   "En cours",
	"jobs.state.scheduled": "Plus tard",
}
