import type { Profile } from './profile.ts'

/**
 * What is made with a framework has addresses of its own. Known are only those that
 * nearly all give their administration and log-in; whatever else changes says so by
 * its own address and that it leads to (RFC 9111, 4.4).
 */
const made = (
  name: Profile['name'],
  markers: Profile['markers'],
  sessionCookies: readonly string[],
  more: readonly string[] = [],
): Profile => ({
  name,
  markers,
  sessionCookies,
  privatePaths: [
    '/admin',
    '/admin/*',
    '/login',
    '/login/*',
    '/logout',
    '/register',
    '/password/*',
    '/reset-password*',
    '/users/login',
    '/account',
    '/account/*',
    '/profile',
    '/profile/*',
    '/cart',
    '/cart/*',
    '/checkout',
    '/checkout/*',
    ...more,
  ],
  login: ['*/login*', '*/signin*', '*/connect*'],
  requests: [
    { at: ['*/login', '*/login/*', '*/logout', '*/password/*'], effect: 'none' },
    // Strangers are led elsewhere.
    { at: ['/admin/*'], to: ['*/admin*'], effect: 'now' },
    ...(name === 'laravel' ? [{ at: ['/nova-api/*'], effect: 'now' as const }] : []),
  ],
})

/** Also with Nova, Horizon, Telescope, Livewire and Sanctum, which no two visitors share pages of. */
export const laravel = made(
  'laravel',
  [
    ['../artisan', '../bootstrap/app.php'],
    ['artisan', 'bootstrap/app.php'],
  ],
  ['laravel_session', '*-session', 'XSRF-TOKEN', 'remember_web_*'],
  ['/nova/*', '/nova-api/*', '/horizon/*', '/telescope/*', '/livewire/*', '/sanctum/*'],
)

/** Also version 3 and before, which had `app/` in place of `config/`. */
export const symfony = made(
  'symfony',
  [
    ['../bin/console', '../config/bundles.php'],
    ['bin/console', 'config/bundles.php'],
    ['../bin/console', '../app/AppKernel.php'],
  ],
  ['PHPSESSID', 'REMEMBERME'],
  ['/_profiler/*', '/_wdt/*'],
)

/** Version 3 and later. */
export const cakephp = made(
  'cakephp',
  [
    ['../bin/cake.php', '../config/bootstrap.php'],
    ['bin/cake.php', 'config/bootstrap.php'],
  ],
  ['CAKEPHP', 'PHPSESSID', 'CookieAuth'],
)
