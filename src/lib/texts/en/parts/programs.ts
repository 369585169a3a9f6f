import { applications } from '../applications/applications.ts'
import { cron } from '../cron.ts'
import { logs } from '../logs.ts'
import { mail } from '../mail/mail.ts'
import { wordpress } from '../sites/wordpress.ts'

/** Texts of what runs for an account and what it writes: the part of the pages that have to do with it. */
export const programsPart = { applications, wordpress, cron, logs, mail }
