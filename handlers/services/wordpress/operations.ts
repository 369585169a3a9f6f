import type { OperationRow } from '../../ports/store/records.ts'
import { undoDomain } from '../domains/domains.ts'
import { undoDatabase } from '../databases/databases.ts'
import type { OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

export const WORDPRESS_INSTALL = 'wordpress.install'
export const WORDPRESS_UPDATE = 'wordpress.update'
export const WORDPRESS_COPY = 'wordpress.copy'
export const WORDPRESS_PUSH = 'wordpress.push'
export const WORDPRESS_EXTENSION = 'wordpress.extension'

/** Of the host's own operation, since what becomes of the database is asked by the operation's. */
export const installIdOf = ({ id }: Pick<OperationRow, 'id'>): string => `${id}.wordpress`

type Deps = Pick<ServiceDeps, 'store' | 'host'> & { vhosts: VirtualHosts }

const undoInstall = (deps: Deps, operation: OperationRow): Step[] => [
  {
    name: 'files',
    run: () =>
      deps.host.wordpressInstall.uninstall({
        username: operation.subject,
        path: String(operation.data['path']),
        installId: installIdOf(operation),
      }),
  },
  ...undoDatabase(deps, operation),
]

/** The domains that a copy was to make beside its own are names of this one's site, so they go first. */
const undoNames = (deps: Deps, operation: OperationRow): Step[] => {
  const { data } = operation
  const names = Array.isArray(data['names']) ? data['names'].map(String) : []
  return names.toReversed().flatMap((domain) =>
    undoDomain(deps, { ...operation, data: { ...data, domain } }).map((step) => ({
      ...step,
      name: `${step.name} of ${domain}`,
    })),
  )
}

/** The domain is among the data where the copy was to make it. */
const undoCopy = (deps: Deps, operation: OperationRow): Step[] => {
  const hasDomain = typeof operation.data['domain'] === 'string'
  return [
    {
      name: 'files',
      run: () =>
        deps.host.wordpressCopy.remove({
          username: operation.subject,
          path: String(operation.data['path']),
          copyId: installIdOf(operation),
          folder: hasDomain,
        }),
    },
    ...undoNames(deps, operation),
    ...(hasDomain ? undoDomain(deps, operation) : []),
    ...undoDatabase(deps, operation),
  ]
}

/** Of a core, or of a plugin or theme: `path` among the data is the folder that it stands in. */
const undoUpdate = (deps: Deps, { id, subject, data }: OperationRow): Step[] => [
  {
    name: 'core',
    run: () =>
      deps.host.wordpressUpdate.revert({
        username: subject,
        path: String(data['path']),
        url: String(data['url']),
        updateId: installIdOf({ id }),
      }),
  },
]

/** How operations on WordPress are settled. */
export const wordpressOperationKinds = (deps: Deps): OperationKind[] => [
  { kind: WORDPRESS_INSTALL, settle: 'undo', steps: (operation) => undoInstall(deps, operation) },
  { kind: WORDPRESS_COPY, settle: 'undo', steps: (operation) => undoCopy(deps, operation) },
  {
    kind: WORDPRESS_PUSH,
    settle: 'undo',
    steps: (operation) => [
      {
        name: 'site',
        run: () =>
          deps.host.wordpressCopy.revert({
            username: operation.subject,
            to: { path: String(operation.data['path']), url: String(operation.data['url']) },
            pushId: installIdOf(operation),
          }),
      },
    ],
  },
  ...[WORDPRESS_UPDATE, WORDPRESS_EXTENSION].map((kind) => ({
    ...{ kind, settle: 'undo' as const },
    steps: (operation: OperationRow) => undoUpdate(deps, operation),
  })),
]
