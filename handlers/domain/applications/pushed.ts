/** What a host of repositories says about a push, as far as it matters here. */
export interface Pushed {
  /** `refs/heads/main`; null: it does not say. */
  ref: string | null
  /** Branch that the host takes for the main one. */
  defaultBranch: string | null
  /** The branch is gone. */
  deleted: boolean
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
const text = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= 300 ? value : null

/** Reads the message of GitHub, GitLab, Gitea or Forgejo about a push; of any other value it says nothing. */
export const readPushed = (message: unknown): Pushed => {
  const { ref, deleted, after, repository, project } = record(message)
  return {
    ref: text(ref),
    defaultBranch: text(record(repository)['default_branch'] ?? record(project)['default_branch']),
    deleted: deleted === true || (typeof after === 'string' && /^0{40,64}$/.test(after)),
  }
}

/** Why a push starts no deployment of what is built from `branch` (null: the repository's own); null: it does. */
export const pushFault = (
  { ref, defaultBranch, deleted }: Pushed,
  branch: string | null,
): string | null => {
  if (deleted) return 'The branch was removed.'
  const wanted = branch ?? defaultBranch
  if (ref === null || wanted === null) return null
  return ref === `refs/heads/${wanted}` || ref === `refs/tags/${wanted}`
    ? null
    : `It is built from ${wanted}, and this was a push to another branch.`
}
