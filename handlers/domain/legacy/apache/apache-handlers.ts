import type { Directive } from '../types.ts'

/** What a handler does with PHP. */
export type PhpRoute =
  /** A path, or `tcp://host:port`. */
  | { kind: 'socket'; path: string }
  /** PHP, but in a way that needs something else here. */
  | { kind: 'other'; how: string }

/** Reads `proxy:unix:/run/php.sock|fcgi://localhost` and other names of PHP; null: no PHP. */
export const phpRouteOf = (handler: string): PhpRoute | null => {
  const socket = /^(?:proxy:)?unix:([^|]+)\|fcgi:\/\//i.exec(handler)
  if (socket) return { kind: 'socket', path: socket[1] ?? '' }
  const port = /^(?:proxy:)?fcgi:\/\/(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?(?:\/|$)/i.exec(
    handler,
  )
  // Without one it is that of FastCGI.
  if (port) return { kind: 'socket', path: `tcp://${port[1]}:${port[2] ?? '8000'}` }
  if (/^proxy:balancer:\/\//i.test(handler))
    return { kind: 'other', how: 'PHP stands behind a balancer. Name one of its members.' }
  if (
    /^(?:application\/x-(?:httpd-(?:[a-z]+-)?php\d*|lsphp\S*|httpd-lsphp)|php\d*-(?:script|fcgi|cgi)|fcgid-script|lsapi-script|fastcgi-script|proxy-php)/i.test(
      handler,
    )
  )
    return {
      kind: 'other',
      how: 'PHP ran inside Apache. Name a socket of php-fpm in [virtualhost.php], or an account in username.',
    }
  return null
}

/** Whether a section or the arguments of `AddHandler` are about PHP's files. */
export const isAboutPhp = ({ args }: Directive): boolean =>
  args.some((arg) => /php|phtml|\binc\b/i.test(arg))
