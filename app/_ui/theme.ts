import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, rem } from '@mantine/core'

/** The only accent colour. White on 6 and 7, and 3 on the dark canvas, pass WCAG AA. */
const indigo: MantineColorsTuple = [
  '#eef0ff',
  '#dde1ff',
  '#bcc4ff',
  '#9ba7fb',
  '#7d8af3',
  '#6571eb',
  '#5159dd',
  '#4348c4',
  '#383ca0',
  '#2d307d',
]

/** Neutral with a slight cool tint. */
const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#f0f2f5',
  '#e4e7ec',
  '#d5d9e0',
  '#b9bfca',
  '#8e95a4',
  '#5d6473',
  '#434957',
  '#2a2f3a',
  '#171a21',
]

const dark: MantineColorsTuple = [
  '#e6e8ee',
  '#c3c7d1',
  '#9aa0af',
  '#727989',
  '#424957',
  '#262a34',
  '#1a1d25',
  '#111319',
  '#0c0e13',
  '#08090d',
]

/** White on 6 passes AA. */
const red: MantineColorsTuple = [
  '#fef2f1',
  '#fde3e1',
  '#fbc8c4',
  '#f5a19a',
  '#ec7067',
  '#e2473c',
  '#cf2e23',
  '#b3261e',
  '#941f18',
  '#761913',
]

const body = "var(--rg-inter), 'Inter Others', 'Inter Stand-in', system-ui, -apple-system, 'Segoe UI', sans-serif"
// Stand-ins: fonts.css.
const mono =
  "var(--rg-mono), 'JetBrains Mono Others', 'JetBrains Mono Stand-in', 'JetBrains Mono Wider Stand-in', 'JetBrains Mono Narrower Stand-in', ui-monospace, monospace"

/** The design of the dashboard: colours, fonts, sizes and component defaults. */
export const theme = createTheme({
  colors: { indigo, gray, dark, red },
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 6 },
  autoContrast: false,
  fontFamily: body,
  fontFamilyMonospace: mono,
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(20) },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontFamily: body,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(22), lineHeight: '1.3' },
      h2: { fontSize: rem(16), lineHeight: '1.4' },
      h3: { fontSize: rem(14), lineHeight: '1.45' },
    },
  },
  defaultRadius: rem(7),
  radius: { sm: rem(5), md: rem(7), lg: rem(10), xl: rem(14) },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Input: { defaultProps: { size: 'sm' } },
    InputWrapper: {
      defaultProps: { size: 'sm' },
      styles: { label: { marginBottom: rem(3), fontWeight: 550 }, description: { fontSize: rem(12) }, error: { fontSize: rem(12) } },
    },
    Textarea: { defaultProps: { autosize: true, minRows: 2, maxRows: 6 } },
    Radio: { styles: { description: { marginTop: rem(1), fontSize: rem(12) } } },
    Checkbox: { styles: { description: { marginTop: rem(1), fontSize: rem(12) } } },
    // A header within a dialog is no landmark; on a phone the page has a header as well.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        padding: 'lg',
        overlayProps: { backgroundOpacity: 0.4 },
        transitionProps: { transition: 'pop', duration: 150 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: {
        title: { fontSize: rem(16), fontWeight: 600, lineHeight: 1.35, letterSpacing: '-0.012em', overflowWrap: 'anywhere' },
        content: { border: '1px solid var(--rg-line)', background: 'var(--rg-card)' },
        header: { background: 'var(--rg-card)' },
      },
    },
    Drawer: { styles: { title: { fontSize: rem(16), fontWeight: 600, lineHeight: 1.35, letterSpacing: '-0.012em' } } },
    Menu: {
      defaultProps: {
        withInitialFocusPlaceholder: false,
        // A menu moves with its page: hidden while its button is out of view, it would stay open without anything to see.
        hideDetached: false,
        shadow: 'md',
        radius: 'md',
        transitionProps: { transition: 'pop', duration: 120 },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 120 }, events: { hover: true, focus: true, touch: true } } },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
})

/** Returns the colours of surfaces, lines and status tones for the components' own CSS. Text on its tone passes AA in both schemes. */
export const surfaces: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--rg-canvas': '#ffffff',
    '--rg-nav': '#f7f8fa',
    '--rg-card': '#ffffff',
    '--rg-sunken': '#f7f8fa',
    '--rg-line': '#e4e7ec',
    '--rg-hover': '#f0f2f5',
    '--rg-active': '#e8ebf0',
    '--rg-text': '#171a21',
    '--rg-dimmed': '#5d6473',
    '--rg-accent-text': '#4348c4',
    '--rg-shadow': '0 1px 2px rgb(23 26 33 / 5%)',
    ...tone('neutral', '#434957', '#eef0f4', '#8e95a4'),
    ...tone('info', '#1c4fb5', '#e8f0fe', '#3b7bf0'),
    ...tone('good', '#0a6353', '#e2f5f0', '#12a386'),
    ...tone('bad', '#a3211a', '#fdecea', '#dd4037'),
    ...tone('warn', '#7d4b00', '#fcf2da', '#dd9a1a'),
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#171a21',
    '--mantine-color-dimmed': '#5d6473',
    '--mantine-color-placeholder': '#717887',
    '--mantine-color-default-border': '#d5d9e0',
    '--mantine-color-anchor': '#4348c4',
    '--mantine-color-error': '#b3261e',
  },
  dark: {
    '--rg-canvas': '#111319',
    '--rg-nav': '#0c0e13',
    '--rg-card': '#161920',
    '--rg-sunken': '#0c0e13',
    '--rg-line': '#262a34',
    '--rg-hover': '#1a1d25',
    '--rg-active': '#20242d',
    '--rg-text': '#e6e8ee',
    '--rg-dimmed': '#9aa0af',
    '--rg-accent-text': '#9ba7fb',
    '--rg-shadow': 'none',
    ...tone('neutral', '#b9bfca', '#23272f', '#727989'),
    ...tone('info', '#8fb7ff', '#14233f', '#4c8bf5'),
    ...tone('good', '#62d2b8', '#0f2b26', '#1fb596'),
    ...tone('bad', '#ff9d95', '#381715', '#ea5a50'),
    ...tone('warn', '#efc062', '#33270f', '#dd9a1a'),
    '--mantine-color-body': '#111319',
    '--mantine-color-text': '#e6e8ee',
    '--mantine-color-dimmed': '#9aa0af',
    '--mantine-color-placeholder': '#808797',
    '--mantine-color-default': '#1a1d25',
    '--mantine-color-default-hover': '#20242d',
    '--mantine-color-default-border': '#2f343f',
    // Mantine's is the colour of a card here, on which a disabled switch would have no track.
    '--mantine-color-disabled': '#2a2f3a',
    '--mantine-color-anchor': '#9ba7fb',
    '--mantine-color-error': '#ff9d95',
  },
})

function tone(name: string, text: string, wash: string, dot: string): Record<string, string> {
  return { [`--rg-${name}-text`]: text, [`--rg-${name}-wash`]: wash, [`--rg-${name}-dot`]: dot }
}

export type Tone = 'neutral' | 'info' | 'good' | 'bad' | 'warn'
