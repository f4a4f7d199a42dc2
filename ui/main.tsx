import './styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { applyTheme, readThemeChoice } from './parts/theme.ts';

applyTheme(readThemeChoice());
const place = document.getElementById('studio');
if (place !== null) createRoot(place).render(<App />);
