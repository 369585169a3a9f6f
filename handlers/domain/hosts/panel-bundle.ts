import { z } from 'zod'

/** Shape of what a panel hands to one that joins; see `PanelBundle`. */
export const panelBundleSchema = z.object({
  version: z.string(),
  store: z.string(),
  store_password: z.string().nullable(),
  store_ca: z.string().nullable().describe('PEM.'),
  session_key: z.string(),
  settings: z.record(z.string(), z.string()),
})
