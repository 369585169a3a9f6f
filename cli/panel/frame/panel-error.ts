import { CliError } from '../../cli-error.ts'

/** The panel refused a call. */
export class PanelError extends CliError {
  readonly status: number
  /** What is at fault (`X-Error-Field`); null: nothing in particular. */
  readonly field: string | null

  constructor(message: string, status: number, field: string | null) {
    super(message)
    this.status = status
    this.field = field
  }
}
