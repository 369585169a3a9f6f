import { z } from 'zod'
import { numberText, oneOf } from '../frame/fields.ts'

/** An engine as requests call it. */
export const engine = oneOf('engine', ['mysql', 'mariadb', 'postgresql', 'postgres'])

/** Path of an account's databases. */
export const params = z.object({ account_id: numberText('account_id') })

/** Path of a database. */
export const nameParams = params.extend({
  db_name: z.string().describe('The short or the full name.'),
})

/** Which of two engines with a database of that name is meant. */
export const engineQuery = z.object({
  engine: engine.optional().describe('Needed when two engines have a database of this name.'),
})
