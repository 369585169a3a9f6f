import { submitMessage } from '../sendmail/submit-message.ts'

// Started by programs of accounts, as them: `sendmail.ts RUN_DIR [--as ACCOUNT] [options of sendmail] [recipients]`.
process.exitCode = await submitMessage(process.argv.slice(2))
