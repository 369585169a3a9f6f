import { DirectiveError } from './directive-error.ts'
import type { DirectiveReader } from './directive-types.ts'

const SETTING = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/i

const reader =
  (isFlag: boolean): DirectiveReader =>
  ([name = '', given = '']) => {
    if (!SETTING.test(name)) throw new DirectiveError(`"${name}" is not the name of a PHP setting`)
    if (/[^\x20-\x7e]/.test(given)) throw new DirectiveError('a PHP setting must be plain text')
    const value = isFlag ? (/^(?:on|yes|true|1)$/i.test(given) ? '1' : '0') : given
    return (settings) => {
      if (!isFlag && value.toLowerCase() === 'none') settings.php.delete(name)
      else settings.php.set(name, value)
    }
  }

/** Settings of PHP that a site may change. */
export const PHP_DIRECTIVES: Readonly<Record<string, DirectiveReader>> = {
  php_value: reader(false),
  php_flag: reader(true),
}
