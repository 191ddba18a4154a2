/** Deliveries by status. */
export interface DeliveryCounts {
  delivered: number
  pending: number
  dead: number
}

/** SQL: `DeliveryCounts` as columns of a query on `webhook_delivery_state` with the alias `d`. */
export const DELIVERY_COUNTS = `
  count(*) FILTER (WHERE d.status = 'DELIVERED')::int AS delivered,
  count(*) FILTER (WHERE d.status = 'PENDING')::int AS pending, count(*) FILTER (WHERE d.status = 'DEAD')::int AS dead`

export const NO_DELIVERIES: DeliveryCounts = { delivered: 0, pending: 0, dead: 0 }
