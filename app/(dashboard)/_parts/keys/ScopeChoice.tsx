import { Checkbox, type CheckboxGroupProps, Stack, Text } from '@mantine/core'
import { SCOPE_NAMES, SCOPES } from '#server/scopes'

/** Chooses the scopes of a key. */
export function ScopeChoice(props: Omit<CheckboxGroupProps, 'children'>) {
  return (
    <Checkbox.Group {...props} label="Scopes">
      <Stack gap="xs" mt={6}>
        {SCOPE_NAMES.map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            label={
              <>
                {SCOPES[scope].title}{' '}
                <Text span ff="monospace" fz={11.5} c="dimmed">
                  {scope}
                </Text>
              </>
            }
            description={`${SCOPES[scope].opens}.`}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
