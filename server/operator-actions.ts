/**
 * Every action that the installation's log can hold, in words that follow a name: "ada@example.com added an announcement". The log records
 * what operators change, in the console or by command, and those changes by support staff that no member may see.
 */
export const OPERATOR_ACTIONS = {
  'announcement.add': 'added an announcement',
  'announcement.end': 'ended an announcement',
  'staff.grant': 'granted a role to a user',
  'staff.revoke': 'revoked a role from a user',
  'note.add': 'added a note about an account',
  'note.edit': 'edited a note about an account',
  'note.remove': 'deleted a note about an account',
} as const satisfies Record<`${string}.${string}`, string>
export type OperatorAction = keyof typeof OPERATOR_ACTIONS

/** Describes an action in words. Returns the recorded name of an action that is no longer in the table. */
export const operatorActionDescription = (action: string): string => OPERATOR_ACTIONS[action as OperatorAction] ?? action
