import type { NewPassword } from '../../terminal/password.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import type { OptionSpec } from '../frame/command-spec.ts'

/** How a new password comes; it is asked for without them. */
export const PASSWORD_OPTIONS: readonly OptionSpec[] = [
  ['--password-stdin', 'read the password from the first line of standard input'],
  ['--generate-password', 'make a password and print it once'],
]

/** What was chosen of them. */
export const readPasswordOptions = (options: CommandOptions) => ({
  stdin: options.isOn('passwordStdin'),
  generate: options.isOn('generatePassword'),
})

/** How a generated password is shown, this once. */
export const showPassword = {
  line({ generated, password }: NewPassword): void {
    if (generated) console.log(`Password: ${password}`)
  },
  /** For `--json`: `password` beside what the API answered. */
  data(data: unknown, { generated, password }: NewPassword): unknown {
    return generated && typeof data === 'object' ? { ...data, password } : data
  },
}
