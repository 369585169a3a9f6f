import { text } from '../frame/fields.ts'

/** Parameter that names the machine that is asked; a route that takes it passes it to `hostNamed` of a service. */
export const hostQuery = {
  host: text('host', 63)
    .optional()
    .describe('Name of the machine, see GET /api/hosts. Default: that of the panel.'),
}

/** What routes answer that take `hostQuery`. */
export const hostErrors = {
  400: 'There is no machine of that name.',
  503: 'The machine does not answer.',
} as const
