import type { Page } from 'playwright-core'
import { ARCHIVE } from './seed-host.ts'

export interface Screen {
  /** For file names and messages. */
  name: string
  path: string
  /** Brings the page into the state that is meant, e.g. opens a drawer. */
  open?(page: Page): Promise<void>
}

/** The first snapshot that the host of the tests makes. */
const SNAPSHOT = `/backups/snapshots?account=1&snapshot=${'1'.padStart(64, '0')}&path=public_html`

const SETTINGS_TABS = [
  'sessions',
  'tokens',
  'notifications',
  'plans',
  'users',
  'people',
  'resellers',
  'hosts',
  'audit',
]

/** Every page that the navigation leads to, and the tabs and places inside of them. */
export const pagesOf = async (page: Page): Promise<Screen[]> => {
  await page.goto('/')
  const paths = await page
    .locator('aside nav a')
    .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname))
  return [
    ...paths.map((path) => ({
      name: path === '/' ? 'dashboard' : path.slice(1).replaceAll('/', '-'),
      path,
      ...(['/', '/system'].includes(path) ? { open: untilDrawn } : {}),
    })),
    ...SETTINGS_TABS.map((tab) => ({ name: `settings-${tab}`, path: `/settings?tab=${tab}` })),
    { name: 'notifications', path: '/notifications' },
    ...['files', 'databases', 'backups'].map((name) => ({ name, path: `/${name}?account=1` })),
    { name: 'backups-snapshots', path: '/backups/snapshots?account=1' },
    { name: 'backups-snapshot', path: SNAPSHOT },
    { name: 'backups-schedule', path: '/backups/schedule' },
    { name: 'backups-imports', path: '/backups/imports' },
    { name: 'application', path: '/applications/lena/shop' },
    { name: 'application-fetched', path: '/applications/lena/fetched' },
    { name: 'application-pushed', path: '/applications/lena/pushed' },
    { name: 'account', path: '/accounts/lena' },
    { name: 'account-suspended', path: '/accounts/demo01' },
    { name: 'cache-site', path: '/cache/lena.example', open: untilDrawn },
    { name: 'visitors', path: '/domains/1/visitors', open: untilDrawn },
    { name: 'rules', path: '/domains/1/rules', open: untilTested },
    { name: 'logs-php', path: '/logs?source=php' },
    { name: 'logs-live', path: '/logs?live=1', open: untilLive },
    { name: 'editor', path: '/files?account=1&edit=notes.txt', open: untilEditable },
    { name: 'missing', path: '/no-such-page' },
  ]
}

const untilEditable = async (page: Page): Promise<void> => {
  await page.getByTestId('code').locator('.cm-content').waitFor()
}
const untilTested = async (page: Page): Promise<void> => {
  await untilEditable(page)
  await page.getByRole('button', { name: /^Test/ }).click()
  await page.locator('ol li').first().waitFor()
}
const untilDrawn = async (page: Page): Promise<void> => {
  await page.locator('[data-drawn]').first().waitFor()
  await page.locator('[data-drawn=""]').last().waitFor({ state: 'attached' })
}
const untilLive = async (page: Page): Promise<void> => {
  await page.getByText('Live:').waitFor()
}
const dialogOf = async (page: Page): Promise<void> => {
  await page.getByRole('dialog').first().waitFor()
}
/** Clicks the button of the page's head, or any other of this name. */
const button =
  (name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).first().click()
    await dialogOf(page)
  }
const action =
  (row: string, item: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${row}`, exact: true }).click()
    await page.getByRole('menuitem', { name: item, exact: typeof item === 'string' }).click()
    await dialogOf(page)
  }
const firstAction =
  (item: string) =>
  async (page: Page): Promise<void> => {
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
    await dialogOf(page)
  }

/** Chooses rows of a list and then one of the actions on all of them. */
const onMany =
  (rows: readonly string[], action: string) =>
  async (page: Page): Promise<void> => {
    for (const row of rows) await page.getByLabel(`Select ${row}`, { exact: true }).check()
    await page.getByRole('toolbar').getByRole('button', { name: action, exact: true }).click()
    await dialogOf(page)
  }

const WORDPRESS = '/wordpress?account=1'
const blogAction = (item: string) => action('lena.example', item)

const IMPORT = `/backups/imports?path=${ARCHIVE}`
const lookInside = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^Look inside/ }).click()
  await page.getByRole('button', { name: 'Import account' }).waitFor()
}

/**
 * Every drawer, modal, menu and popover, on the instance that `seed` and `seedHost` have filled.
 * Those of one page stand together, the ones that leave rows chosen last.
 */
export const DIALOGS: readonly Screen[] = [
  { name: 'account-create', path: '/accounts', open: button('New account') },
  { name: 'account-edit', path: '/accounts', open: action('lena', 'Edit') },
  { name: 'account-suspend', path: '/accounts', open: action('lena', 'Suspend') },
  { name: 'account-delete', path: '/accounts', open: action('lena', 'Delete') },
  { name: 'row-menu', path: '/accounts', open: menuOpened('Actions for lena') },
  {
    name: 'columns-menu',
    path: '/accounts',
    async open(page) {
      await page.getByRole('button', { name: 'Columns', exact: true }).click()
      await page.getByRole('menuitemcheckbox').first().waitFor()
    },
  },
  { name: 'accounts-suspend', path: '/accounts', open: onMany(['lena', 'otto'], 'Suspend') },
  { name: 'accounts-plan', path: '/accounts', open: onMany(['lena', 'otto'], 'Change plan') },
  { name: 'accounts-php', path: '/accounts', open: onMany(['lena', 'otto'], 'Change PHP') },
  { name: 'accounts-delete', path: '/accounts', open: onMany(['lena', 'otto'], 'Delete') },
  { name: 'account-page-edit', path: '/accounts/lena', open: button('Edit') },
  { name: 'account-page-delete', path: '/accounts/lena', open: action('lena', 'Delete') },
  { name: 'dns-access-add', path: '/accounts/lena', open: button('Add zone') },
  { name: 'dns-access-change', path: '/accounts/lena', open: button('Change main') },
  { name: 'dns-access-remove', path: '/accounts/lena', open: button('Remove main') },
  { name: 'account-page-menu', path: '/accounts/lena', open: menuOpened('Actions for lena') },
  { name: 'domain-create', path: '/domains', open: button('Add domain') },
  { name: 'domain-edit', path: '/domains', open: action('lena.example', 'Settings') },
  {
    name: 'domain-visitors',
    path: '/domains',
    open: action('lena.example', 'Visitors and redirects'),
  },
  { name: 'domain-php', path: '/domains', open: action('lena.example', 'PHP') },
  { name: 'domain-connect', path: '/domains', open: action('lena.example', 'Connect by SFTP') },
  { name: 'domain-purge', path: '/domains', open: action('lena.example', 'Purge cache') },
  { name: 'domain-backends', path: '/domains', open: action('lena.example', 'Backends') },
  { name: 'domain-passwords', path: '/domains', open: action('lena.example', 'Passwords') },
  { name: 'domain-delete', path: '/domains', open: action('lena-photos.example', 'Delete') },
  { name: 'ssl-provision', path: '/ssl', open: button('Provision certificate') },
  { name: 'ssl-upload', path: '/ssl', open: button('Upload') },
  { name: 'ssl-details', path: '/ssl', open: action('lena.example', 'Details') },
  { name: 'ssl-order', path: '/ssl', open: button('Records of lena.example') },
  { name: 'ssl-remove', path: '/ssl', open: action('lena.example', 'Remove') },
  { name: 'file-new-folder', path: '/files?account=1', open: button('New folder') },
  { name: 'file-new-file', path: '/files?account=1', open: button('New file') },
  { name: 'file-rename', path: '/files?account=1', open: action('notes.txt', /^Rename/) },
  { name: 'file-permissions', path: '/files?account=1', open: action('notes.txt', 'Permissions') },
  { name: 'file-archive', path: '/files?account=1', open: action('notes.txt', /^Pack/) },
  {
    name: 'file-purge-cache',
    path: '/files?account=1&path=public_html',
    open: button('Purge cache'),
  },
  { name: 'file-delete', path: '/files?account=1', open: action('notes.txt', 'Delete') },
  { name: 'database-of-any', path: '/databases/all', open: button('New database') },
  { name: 'database-create', path: '/databases?account=1', open: button('New database') },
  {
    name: 'database-connect',
    path: '/databases?account=1',
    open: action('lena_blog', 'Connection details'),
  },
  { name: 'database-export', path: '/databases?account=1', open: action('lena_blog', 'Export') },
  { name: 'database-import', path: '/databases?account=1', open: action('lena_blog', 'Import') },
  {
    name: 'database-password',
    path: '/databases?account=1',
    open: action('lena_blog', 'Change password'),
  },
  {
    name: 'database-rename-user',
    path: '/databases?account=1',
    open: action('lena_blog', 'Rename user'),
  },
  { name: 'database-user-create', path: '/databases?account=1', open: button('New user') },
  {
    name: 'database-user-change',
    path: '/databases?account=1',
    open: button('Edit lena_reader'),
  },
  {
    name: 'database-user-delete',
    path: '/databases?account=1',
    open: button('Delete lena_reader'),
  },
  { name: 'database-address-create', path: '/databases?account=1', open: button('Allow address') },
  {
    name: 'database-address-delete',
    path: '/databases?account=1',
    open: button('Remove 203.0.113.0/24'),
  },
  { name: 'database-delete', path: '/databases?account=1', open: action('lena_blog', 'Delete') },
  { name: 'backup-create', path: '/backups?account=1', open: button('Create backup') },
  { name: 'import-archive', path: IMPORT, open: lookInside },
  {
    name: 'import-drawer',
    path: IMPORT,
    async open(page) {
      await lookInside(page)
      await button('Import account')(page)
    },
  },
  { name: 'backup-cleanup', path: '/backups?account=1', open: button('Clean up') },
  { name: 'backup-restore', path: '/backups?account=1', open: firstAction('Restore') },
  { name: 'backup-delete', path: '/backups?account=1', open: firstAction('Delete') },
  {
    name: 'snapshot-create',
    path: '/backups/snapshots?account=1',
    open: button('Create snapshot'),
  },
  {
    name: 'snapshot-restore',
    path: '/backups/snapshots?account=1',
    open: firstAction('Restore'),
  },
  { name: 'snapshot-delete', path: '/backups/snapshots?account=1', open: firstAction('Delete') },
  { name: 'ssh-key-create', path: '/accounts/lena', open: button('Add key') },
  { name: 'sftp-user-create', path: '/accounts/lena', open: button('Add user') },
  { name: 'person-invite', path: '/accounts/lena', open: button('Invite') },
  { name: 'target-create', path: '/backups/targets', open: button('Add target') },
  {
    name: 'schedule-edit',
    path: '/backups/schedule',
    open: firstAction('Change the schedule'),
  },
  { name: 'mail-test', path: '/mail', open: button('Send test message') },
  { name: 'host-create', path: '/settings?tab=hosts', open: button('Add machine') },
  { name: 'reseller-create', path: '/settings?tab=resellers', open: button('New reseller') },
  { name: 'application-create', path: '/applications', open: button('New application') },
  { name: 'application-edit', path: '/applications/lena/shop', open: button('Edit') },
  { name: 'application-push', path: '/applications/lena/pushed', open: button('Edit') },
  { name: 'application-domain', path: '/applications/lena/shop', open: button('Add domain') },
  { name: 'application-secret', path: '/applications/lena/shop', open: button('Set secret') },
  {
    name: 'application-variables',
    path: '/applications/lena/shop',
    open: button('Edit variables'),
  },
  {
    name: 'application-delete',
    path: '/applications/lena/shop',
    open: button('Delete application'),
  },
  { name: 'wordpress-install', path: WORDPRESS, open: button('Install WordPress') },
  { name: 'wordpress-details', path: WORDPRESS, open: blogAction('Plugins and themes') },
  { name: 'wordpress-updates', path: WORDPRESS, open: blogAction('Update plugins and themes') },
  { name: 'wordpress-care', path: WORDPRESS, open: blogAction('Settings and check') },
  { name: 'wordpress-password', path: WORDPRESS, open: blogAction('New password') },
  { name: 'wordpress-address', path: WORDPRESS, open: blogAction('Change address') },
  { name: 'wordpress-staging', path: WORDPRESS, open: blogAction('Make a staging copy') },
  {
    name: 'wordpress-push',
    path: WORDPRESS,
    open: action('shop.lena.example', 'Push back to the site'),
  },
  { name: 'cron-create', path: '/cron', open: button('New cron job') },
  { name: 'cron-edit', path: '/cron', open: action('Nightly import', 'Edit') },
  { name: 'cron-runs', path: '/cron', open: action('Nightly import', 'Last runs') },
  { name: 'cron-delete', path: '/cron', open: action('Ping', 'Delete') },
  { name: 'cache-purge-all', path: '/cache', open: button('Purge everything') },
  { name: 'cache-rules', path: '/cache/lena.example', open: button('Rules') },
  {
    name: 'log-line',
    path: '/logs',
    async open(page) {
      await page.locator('[data-log-row]').last().click()
      await dialogOf(page)
    },
  },
  { name: 'token-create', path: '/settings?tab=tokens', open: button('New token') },
  { name: 'token-revoke', path: '/settings?tab=tokens', open: firstAction('Revoke') },
  { name: 'plan-create', path: '/settings?tab=plans', open: button('New plan') },
  { name: 'plan-edit', path: '/settings?tab=plans', open: action('Basic', 'Edit') },
  { name: 'user-create', path: '/settings?tab=users', open: button('New administrator') },
  { name: 'user-delete', path: '/settings?tab=users', open: action('second', 'Delete') },
  { name: 'factor-enrol', path: '/settings', open: button('Set up') },
  {
    name: 'unsaved-question',
    path: '/accounts?new=1',
    async open(page) {
      await page.getByRole('dialog').getByLabel('Username').fill('mira')
      await page.keyboard.press('Escape')
      await page.getByRole('alertdialog').waitFor()
    },
  },
  {
    name: 'form-errors',
    path: '/accounts?new=1',
    async open(page) {
      await page.getByRole('dialog').getByRole('button', { name: 'Create account' }).click()
      await page.locator('[aria-invalid="true"]').first().waitFor()
    },
  },
  {
    name: 'palette',
    path: '/',
    async open(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('lena')
      await page.getByRole('option', { name: 'lena-photos.example' }).waitFor()
    },
  },
  {
    name: 'job-centre',
    path: '/',
    async open(page) {
      await page.getByTestId('job-pill').click()
      await page.locator('[data-job]').first().waitFor()
    },
  },
  { name: 'theme-menu', path: '/', open: menuOpened('Theme') },
  { name: 'language-menu', path: '/', open: menuOpened('Language') },
]

function menuOpened(name: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('menuitem').first().waitFor()
  }
}

const HOOK_ENTERED = 'I have entered it'

/** Those that show a secret once: only their button closes them. */
export const SECRETS: readonly Screen[] = [
  {
    name: 'application-hook',
    path: '/applications/lena/fetched',
    open: button(/^(Make hook|New secret)$/),
  },
]

/** Waits until nothing moves and nothing loads. */
export const settle = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await document.fonts.ready
    // One movement begins when another has ended: what inherits a colour follows it later.
    for (let stillFrames = 0; stillFrames < 2; stillFrames += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const moving = document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
      await Promise.all(moving.map((one) => one.finished.catch(() => undefined)))
      if (moving.length > 0) stillFrames = -1
    }
  })

/** Goes to a screen and waits until nothing moves and nothing loads. */
export const visit = async (page: Page, screen: Screen): Promise<void> => {
  await page.goto(screen.path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await screen.open?.(page)
  await settle(page)
}

/** All that lies over a page and holds the cursor. */
export const LAYER = '[role=dialog], [role=alertdialog], [role=menu], [data-popover-content]'

/** The same, without loading the page anew where it is there already and nothing lies over it. */
export const visitNext = async (page: Page, screen: Screen): Promise<void> => {
  const { pathname, search } = new URL(page.url())
  if (`${pathname}${search}` !== screen.path || (await page.locator(LAYER).count()) > 0)
    return visit(page, screen)
  await screen.open?.(page)
  await settle(page)
}

/** Closes what `visitNext` has opened. What asks before it closes stays. */
export const leave = async (page: Page): Promise<void> => {
  if ((await page.locator(LAYER).count()) !== 1) return
  const entered = page.getByRole('button', { name: HOOK_ENTERED, exact: true })
  if ((await entered.count()) > 0) await entered.click()
  else await page.keyboard.press('Escape')
  await page.waitForFunction((layer) => document.querySelectorAll(layer).length !== 1, LAYER)
}
