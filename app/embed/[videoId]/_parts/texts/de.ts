import type { Texts } from './texts.ts'

export const texts: Texts = {
  controls: {
    play: 'Abspielen',
    pause: 'Pause',
    mute: 'Ton ausschalten',
    unmute: 'Ton einschalten',
    volume: 'Lautstärke',
    seek: 'Position im Video',
    'seek back {seekOffset} seconds': '{seekOffset} Sekunden zurück',
    'seek forward {seekOffset} seconds': '{seekOffset} Sekunden vor',
    settings: 'Einstellungen',
    auto: 'Automatisch',
    off: 'Aus',
    'playback time': 'Wiedergabezeit',
    'closed captions': 'Untertitel',
    'enable captions': 'Untertitel einschalten',
    'disable captions': 'Untertitel ausschalten',
    'start airplay': 'AirPlay starten',
    'stop airplay': 'AirPlay beenden',
    'enter fullscreen mode': 'Vollbild einschalten',
    'exit fullscreen mode': 'Vollbild beenden',
    'enter picture in picture mode': 'Bild-im-Bild einschalten',
    'exit picture in picture mode': 'Bild-im-Bild beenden',
    'video not loaded, unknown time.': 'Das Video ist nicht geladen, die Zeit ist unbekannt.',
    '{currentTime} of {totalTime}': '{currentTime} von {totalTime}',
    'chapter: {chapterName}': 'Kapitel: {chapterName}',
  },
  labels: {
    loading: 'Das Video wird geladen',
    quality: 'Qualität',
    audio: 'Tonspur',
    captions: 'Untertitel',
    speed: 'Geschwindigkeit',
    chapters: 'Kapitel',
    unmute: 'Ton einschalten',
    retry: 'Erneut versuchen',
    replay: 'Noch einmal abspielen',
  },
  back: '{menu}, zurück zum vorherigen Menü',
  pictureCaptions: 'Untertitel für Hörgeschädigte',
  morePictureCaptions: 'Untertitel für Hörgeschädigte {number}',
  available: 'Verfügbar bis {time}',
  growing: 'Das Video wird noch verarbeitet. Es ist bis {time} verfügbar.',
  held: 'Das Video ist bis {time} verfügbar. Der Rest wird noch verarbeitet.',
  complete: 'Das ganze Video ist verfügbar.',
  notices: {
    expired: {
      title: 'Der Zugriff auf dieses Video ist abgelaufen',
      text: 'Laden Sie diese Seite neu. Erscheint die Meldung erneut, informieren Sie den Betreiber der Website.',
      alone: 'Gehen Sie zurück zur Seite mit diesem Video und öffnen Sie es erneut.',
    },
    ended: {
      title: 'Ihre Wiedergabesitzung ist beendet',
      text: 'Laden Sie diese Seite neu, um weiterzusehen.',
      alone: 'Gehen Sie zurück zur Seite mit diesem Video und öffnen Sie es erneut.',
    },
    stopped: {
      title: 'Die Wiedergabe wurde beendet',
      text: 'Der Eigentümer hat sie beendet, oder Sie sehen woanders zu. Laden Sie diese Seite neu, um hier zuzusehen.',
      alone:
        'Der Eigentümer hat sie beendet, oder Sie sehen woanders zu. Gehen Sie zurück zur Seite mit diesem Video und öffnen Sie es erneut.',
    },
    barred: {
      title: 'Dieses Video ist hier nicht verfügbar',
      text: 'Es ist nur in bestimmten Ländern oder Netzen erlaubt. VPN ausschalten und Seite neu laden.',
      alone: 'Es ist nur in bestimmten Ländern oder Netzen erlaubt. VPN ausschalten und Video erneut öffnen.',
    },
    elsewhere: {
      title: 'Sie sehen bereits an anderer Stelle zu',
      text: 'Beenden Sie zuerst das andere Video und versuchen Sie es erneut. Es dauert höchstens eine Minute.',
    },
    watermark: {
      title: 'Das Wasserzeichen wurde verdeckt',
      text: 'Laden Sie diese Seite neu. Hilft das nicht, schalten Sie Erweiterungen aus, die die Seite verändern.',
      alone: 'Öffnen Sie das Video erneut. Hilft das nicht, schalten Sie Erweiterungen aus, die die Seite verändern.',
    },
    invalid: {
      title: 'Dieses Video lässt sich nicht öffnen',
      text: 'Laden Sie diese Seite neu. Erscheint die Meldung erneut, informieren Sie den Betreiber der Website.',
      alone:
        'Der Link ist unvollständig oder gehört zu einem anderen Video. Gehen Sie zurück zur Seite mit diesem Video und öffnen Sie es erneut.',
    },
    missing: {
      title: 'Dieses Video ist nicht verfügbar',
      text: 'Möglicherweise wurde es entfernt. Vermissen Sie es hier, informieren Sie den Betreiber der Website.',
      alone: 'Möglicherweise hat der Eigentümer es entfernt. Fragen Sie die Person, von der Sie den Link haben.',
    },
    preparing: {
      title: 'Dieses Video ist noch nicht bereit',
      text: 'Es wird noch verarbeitet. Versuchen Sie es in einigen Minuten erneut.',
    },
    offline: {
      title: 'Das Video konnte nicht geladen werden',
      text: 'Prüfen Sie Ihre Internetverbindung und versuchen Sie es erneut.',
    },
    trouble: { title: 'Der Videodienst antwortet nicht', text: 'Warten Sie kurz und versuchen Sie es dann erneut.' },
    broken: {
      title: 'Die Wiedergabe ist fehlgeschlagen',
      text: 'Versuchen Sie es erneut. Hilft das nicht, verwenden Sie einen anderen Browser.',
    },
    unsupported: {
      title: 'Dieser Browser kann das Video nicht abspielen',
      text: 'Öffnen Sie diese Seite in einer aktuellen Version von Chrome, Edge, Firefox oder Safari.',
    },
  },
}
