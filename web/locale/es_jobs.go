package locale

// spanishJobs are what jobs and their states are called.
var spanishJobs = map[string]string{
	"jobs.name.alertLook":        "Buscar de qué hay que avisar",
	"jobs.name.alertSend":        "Enviar un aviso",
	"jobs.name.approvalSweep":    "Borrar las peticiones antiguas a encargados",
	"jobs.name.catalogForget":    "Borrar consultas y sincronizaciones antiguas",
	"jobs.name.catalogStatus":    "Preguntar qué operadores tienen problemas",
	"jobs.name.catalogSync":      "Sincronizar el catálogo",
	"jobs.name.customerSweep":    "Olvidar a los clientes que ya no vienen",
	"jobs.name.ledgerCheckpoint": "Sumar los libros",
	"jobs.name.reconcileBalance": "Preguntar el saldo",
	"jobs.name.reconcileQuiet":   "Comparar el saldo con los libros",
	"jobs.name.reconcileRecords": "Comparar ventas y cajones con los registros",
	"jobs.name.reconcileSweep":   "Averiguar qué fue de las ventas abiertas",
	"jobs.name.reportDeliver":    "Enviar informes por correo",
	"jobs.name.reportRefresh":    "Mantener los informes al día",
	"jobs.name.salesPurge":       "Borrar recibos y PIN caducados",
	"jobs.name.staffSweep":       "Terminar las sesiones antiguas",
	"jobs.name.statementClose":   "Cerrar los extractos de los días terminados",
	"jobs.name.verifyNightly":    "Comprobar los libros de noche",

	"jobs.state.available": "Espera su turno",
	"jobs.state.cancelled": "Cancelada",
	"jobs.state.completed": "Hecha",
	"jobs.state.discarded": "Abandonada",
	"jobs.state.pending":   "Retenida",
	"jobs.state.retryable": "Se intentará de nuevo",
	"jobs.state.running":   "En curso",
	"jobs.state.scheduled": "Más tarde",
}
