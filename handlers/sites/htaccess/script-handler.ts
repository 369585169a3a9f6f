import { PHP_EXTENSIONS } from '../../domain/php/extensions.ts'
import type { Settings } from './files/settings.ts'

type HandlerRules = Pick<Settings, 'handlers' | 'php'>

/** Handlers of every way that sites know to name PHP; `…-php-source` shows the source, which nobody should. */
const isPhp = (handler: string): boolean =>
  /php|lsapi|fcgi/i.test(handler) && !/source/i.test(handler)

const isEngineOff = (php: ReadonlyMap<string, string>): boolean =>
  /^(?:0|off|no|false)$/i.test(php.get('engine') ?? '')

/** Extensions of a name, lower case, the last one last. */
const extensionsOf = (name: string): string[] =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .split('.')
    .slice(1)

/** Whether rules keep a script from running: another handler than PHP, or `php_flag engine off`. */
export const isScriptOff = ({ handlers, php }: HandlerRules, name: string): boolean => {
  if (isEngineOff(php)) return true
  const extension = extensionsOf(name).findLast((one) => handlers.has(one))
  const handler = handlers.get('') ?? handlers.get(extension ?? '')
  return handler !== undefined && !isPhp(handler)
}

/**
 * What rules make of a file that is no `.php`: PHP runs it, it is refused
 * because it is meant for PHP and may not run (its source must not be seen), or
 * it is a file like any other. Only the last extension counts: Apache would run
 * `x.php.jpg` too. `asked`: false for a file that the rules were not merged for,
 * such as the page of an error; then `SetHandler` says nothing of it.
 */
export const fileRuleOf = (
  { handlers, php }: HandlerRules,
  name: string,
  asked = true,
): 'run' | 'refuse' | 'file' => {
  const set = asked ? handlers.get('') : undefined
  const handler = set ?? handlers.get(extensionsOf(name).at(-1) ?? '')
  if (handler === undefined || !isPhp(handler)) return 'file'
  if (isEngineOff(php)) return 'refuse'
  return PHP_EXTENSIONS.some((extension) => name.endsWith(extension)) ? 'run' : 'refuse'
}
